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

/** Asks the user for a passkey, with the options of the server. */
export async function askPasskey(options: Challenge) {
  const optionsJSON: PublicKeyCredentialRequestOptionsJSON = { ...options }
  return { ...(await withMessage(startAuthentication({ optionsJSON }))) }
}

/** Creates a passkey on a device of the user. */
export async function makePasskey(options: Challenge) {
  const given: unknown = options
  return { ...(await withMessage(startRegistration({ optionsJSON: given as PublicKeyCredentialCreationOptionsJSON }))) }
}

async function withMessage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
      throw new Error('This device already has a passkey for your account')
    throw new Error('The passkey was not used. Try again, or use another sign-in method')
  }
}
