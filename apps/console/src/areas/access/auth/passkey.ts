import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'

interface Challenge {
  readonly challenge: string
}

const address = /^(\d+\.){3}\d+$|^\[/

/** Why passkeys cannot be used at this address or in this browser; null when they can. */
export function passkeyObstacle(): string | null {
  const { hostname, port } = window.location
  const isLoopback = hostname.startsWith('127.') || hostname === '[::1]'
  if (isLoopback)
    return `Passkeys don’t work at an IP address. To use them, open http://localhost${port === '' ? '' : `:${port}`}.`
  if (address.test(hostname)) return 'Passkeys don’t work at an IP address. To use them, open Muster by its host name.'
  if (!window.isSecureContext) return 'Passkeys need HTTPS.'
  return browserSupportsWebAuthn() ? null : 'This browser does not support passkeys.'
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
