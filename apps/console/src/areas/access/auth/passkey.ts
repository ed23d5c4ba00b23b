import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'

interface Challenge {
  readonly challenge: string
}

/** Lets the person prove itself with a passkey; the options are as the server made them. */
export async function askPasskey(options: Challenge) {
  const optionsJSON: PublicKeyCredentialRequestOptionsJSON = { ...options }
  return { ...(await inWords(startAuthentication({ optionsJSON }))) }
}

/** Lets a device of the person make a passkey. */
export async function makePasskey(options: Challenge) {
  const given: unknown = options
  return { ...(await inWords(startRegistration({ optionsJSON: given as PublicKeyCredentialCreationOptionsJSON }))) }
}

async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
      throw new Error('This device has a passkey for your account already')
    throw new Error('The passkey was not used. Try again, or use another way to sign in')
  }
}
