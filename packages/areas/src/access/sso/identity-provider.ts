// Talking to identity providers. Their addresses were given by people and their documents name further ones, so every request
// goes through the guarded way out, and whatever they say is checked by openid-client before anybody believes it.
import { badRequest } from '@muster/kit/errors.ts'
import { type OutgoingAnswer, requestOutside } from '@muster/kit/outgoing.ts'
import * as oidc from 'openid-client'
import type { Services } from '../../services.ts'

/** What we are to the provider, and where it is. */
export interface Registration {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | null
}
type Networks = Pick<Services, 'settings'>

const requestMs = 5_000
const bytesMax = 262_144
const freshMs = 300_000
const keptMax = 500
const leewaySeconds = 60
const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || host.startsWith('127.')

/** The provider could not be asked: it is away, slow, broken, or at an address that is not allowed. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

/** @throws BAD_REQUEST for what is neither https nor plain http on this machine */
export function requireProviderAddress(address: string): URL {
  if (!URL.canParse(address)) throw badRequest('This is not an address')
  const url = new URL(address)
  const isFine = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (!isFine) throw badRequest(`The address ${url.protocol}//${url.host} must begin with https`)
  return url
}

const bodyOf = (body: unknown): string | undefined => {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString()
  throw new Error('identity providers are sent forms alone')
}

/** A request to an address of a provider's, within the time and the size that we grant it. */
export async function askProvider(
  { settings }: Networks,
  address: string,
  options: { method?: 'GET' | 'POST'; headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<OutgoingAnswer> {
  const url = requireProviderAddress(address)
  return requestOutside(url.href, { ...options, timeoutMs: requestMs, bytesMax }, settings.ssoNetworks ?? [])
}

const guardedFetch =
  (services: Networks): oidc.CustomFetch =>
  async (address, { method, headers, body }) => {
    try {
      const verb = method === 'POST' ? 'POST' : 'GET'
      const answer = await askProvider(services, address, { method: verb, headers, body: bodyOf(body) })
      const type = answer.headers['content-type']
      const said = new Headers(typeof type === 'string' ? { 'content-type': type } : {})
      const isEmpty = answer.status === 204 || answer.status === 304
      return new Response(isEmpty ? null : new Uint8Array(answer.body), { status: answer.status, headers: said })
    } catch (cause) {
      throw new ProviderUnavailable('the identity provider could not be asked', { cause })
    }
  }

const known = new Map<string, { readonly metadata: oidc.ServerMetadata; readonly until: number }>()

/** The discovery document, as it was within the last minutes. @throws ProviderUnavailable */
export async function discover(services: Services, issuer: string, fresh = false): Promise<oidc.ServerMetadata> {
  const now = services.clock.now()
  const found = known.get(issuer)
  if (!fresh && found !== undefined && found.until > now) return found.metadata
  const url = requireProviderAddress(issuer)
  const execute = url.protocol === 'http:' ? [oidc.allowInsecureRequests] : []
  const options = { [oidc.customFetch]: guardedFetch(services), timeout: requestMs / 1000, execute }
  try {
    const config = await oidc.discovery(url, 'discovery', undefined, oidc.None(), options)
    const metadata = config.serverMetadata()
    if (known.size >= keptMax) known.clear()
    known.set(issuer, { metadata, until: now + freshMs })
    return metadata
  } catch (cause) {
    throw new ProviderUnavailable('the discovery document could not be read', { cause })
  }
}

/** How the token endpoint wants the client to prove itself. */
function proofOf(metadata: oidc.ServerMetadata, secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None()
  const ways = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return ways.includes('client_secret_basic') ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret)
}

async function configurationOf(services: Services, registration: Registration): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = registration
  const metadata = await discover(services, issuer)
  const client = { [oidc.clockTolerance]: leewaySeconds }
  const config = new oidc.Configuration(metadata, clientId, client, proofOf(metadata, clientSecret))
  config[oidc.customFetch] = guardedFetch(services)
  config.timeout = requestMs / 1000
  if (issuer.startsWith('http:')) oidc.allowInsecureRequests(config)
  // The signature is checked even though the token comes straight from the provider, with keys fetched now: a key that was
  // changed while somebody was signing in is known at once.
  oidc.enableNonRepudiationChecks(config)
  return config
}

export const newSecrets = () => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  codeVerifier: oidc.randomPKCECodeVerifier(),
})
export type FlowSecrets = ReturnType<typeof newSecrets>

interface Asking {
  readonly redirectUri: string
  readonly scopes: string
  readonly loginHint: string | undefined
}

/** Where the browser goes to sign in. @throws ProviderUnavailable */
export async function authorizationUrl(
  services: Services,
  registration: Registration,
  secrets: FlowSecrets,
  { redirectUri, scopes, loginHint }: Asking,
): Promise<string> {
  const config = await configurationOf(services, registration)
  const { authorization_endpoint: endpoint } = config.serverMetadata()
  if (endpoint === undefined) throw new ProviderUnavailable('the provider names no authorization endpoint')
  try {
    requireProviderAddress(endpoint)
  } catch (cause) {
    throw new ProviderUnavailable('the authorization endpoint is not an https address', { cause })
  }
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: scopes,
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(secrets.codeVerifier),
    code_challenge_method: 'S256',
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
  })
  return url.href
}

/** Claims that the provider has made about somebody, verified. */
export interface Asserted {
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * Redeems the code that came back and verifies everything that came with it: state, issuer, nonce, audience, times, signature.
 * @param returned the callback's address as the browser asked for it
 * @param needs the claim that has to be there; asked of the user info endpoint when the ID token lacks it
 * @throws ProviderUnavailable, or an error of openid-client that says what does not hold
 */
export async function redeem(
  services: Services,
  registration: Registration,
  returned: URL,
  secrets: FlowSecrets,
  needs: string,
): Promise<Asserted> {
  const config = await configurationOf(services, registration)
  const tokens = await oidc.authorizationCodeGrant(config, returned, {
    expectedState: secrets.state,
    expectedNonce: secrets.nonce,
    pkceCodeVerifier: secrets.codeVerifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('the provider sent no ID token')
  const { iss: issuer, sub: subject } = claims
  if (Object.hasOwn(claims, needs) || config.serverMetadata().userinfo_endpoint === undefined) {
    return { issuer, subject, claims }
  }
  const more = await oidc.fetchUserInfo(config, tokens.access_token, subject)
  return { issuer, subject, claims: { ...more, ...claims } }
}

/** Was it the provider that could not be asked, somewhere beneath this error? */
export function isUnavailable(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof ProviderUnavailable) return true
  }
  return false
}

/** Did the provider, or the person there, say no? */
export const isRefusedThere = (error: unknown): boolean =>
  error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied'
