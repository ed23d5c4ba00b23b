// Requests to identity providers. Users enter their URLs and their documents name further ones, so each request goes through
// the guarded fetch. openid-client verifies all answers.
import { badRequest } from '@muster/kit/errors.ts'
import { type OutgoingAnswer, requestOutside } from '@muster/kit/network/outgoing.ts'
import * as oidc from 'openid-client'
import type { Services } from '../../services.ts'

/** The client registration at the provider, and the issuer. */
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

/** The provider did not answer, or its URL is not allowed. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

/** @throws BAD_REQUEST unless the URL is https, or http on this machine */
export function requireProviderAddress(address: string): URL {
  if (!URL.canParse(address)) throw badRequest('issuer: is not a URL')
  const url = new URL(address)
  const isFine = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
  if (!isFine) throw badRequest(`The address ${url.protocol}//${url.host} must begin with https`)
  return url
}

const bodyOf = (body: unknown): string | undefined => {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString()
  throw new Error('requests to identity providers must have form bodies')
}

/** Sends a request to a URL of a provider, within limits of time and size. */
export async function fetchFromProvider(
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
      const answer = await fetchFromProvider(services, address, { method: verb, headers, body: bodyOf(body) })
      const type = answer.headers['content-type']
      const said = new Headers(typeof type === 'string' ? { 'content-type': type } : {})
      const isEmpty = answer.status === 204 || answer.status === 304
      return new Response(isEmpty ? null : new Uint8Array(answer.body), { status: answer.status, headers: said })
    } catch (cause) {
      throw new ProviderUnavailable('identity provider unreachable', { cause })
    }
  }

const known = new Map<string, { readonly metadata: oidc.ServerMetadata; readonly until: number }>()

/** The discovery document, cached for some minutes. @throws ProviderUnavailable */
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
    throw new ProviderUnavailable('discovery document could not be read', { cause })
  }
}

/** The client authentication that the token endpoint accepts. */
function clientAuthOf(metadata: oidc.ServerMetadata, secret: string | null): oidc.ClientAuth {
  if (secret === null) return oidc.None()
  const ways = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return ways.includes('client_secret_basic') ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret)
}

async function configurationOf(services: Services, registration: Registration): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = registration
  const metadata = await discover(services, issuer)
  const client = { [oidc.clockTolerance]: leewaySeconds }
  const config = new oidc.Configuration(metadata, clientId, client, clientAuthOf(metadata, clientSecret))
  config[oidc.customFetch] = guardedFetch(services)
  config.timeout = requestMs / 1000
  if (issuer.startsWith('http:')) oidc.allowInsecureRequests(config)
  // The signature is verified although the token comes directly from the provider. The keys are fetched now, so a key that
  // was replaced during the sign-in is detected.
  oidc.enableNonRepudiationChecks(config)
  return config
}

export const newSecrets = () => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  codeVerifier: oidc.randomPKCECodeVerifier(),
})
export type FlowSecrets = ReturnType<typeof newSecrets>

interface AuthorizationInput {
  readonly redirectUri: string
  readonly scopes: string
  readonly loginHint: string | undefined
}

/** The URL where the user signs in. @throws ProviderUnavailable */
export async function authorizationUrl(
  services: Services,
  registration: Registration,
  secrets: FlowSecrets,
  { redirectUri, scopes, loginHint }: AuthorizationInput,
): Promise<string> {
  const config = await configurationOf(services, registration)
  const { authorization_endpoint: endpoint } = config.serverMetadata()
  if (endpoint === undefined) throw new ProviderUnavailable('discovery document has no authorization endpoint')
  try {
    requireProviderAddress(endpoint)
  } catch (cause) {
    throw new ProviderUnavailable('authorization endpoint is not an https URL', { cause })
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

/** Verified claims about a user. */
export interface Asserted {
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * Redeems the code and verifies state, issuer, nonce, audience, times and signature.
 * @param returned the URL of the callback as the browser requested it
 * @param needs a required claim, read from the user info endpoint when the ID token lacks it
 * @throws ProviderUnavailable, or an error of openid-client that says what is invalid
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
  if (claims === undefined) throw new Error('provider sent no ID token')
  const { iss: issuer, sub: subject } = claims
  if (Object.hasOwn(claims, needs) || config.serverMetadata().userinfo_endpoint === undefined) {
    return { issuer, subject, claims }
  }
  const more = await oidc.fetchUserInfo(config, tokens.access_token, subject)
  return { issuer, subject, claims: { ...more, ...claims } }
}

/** Whether the error was caused by an unreachable provider. */
export function isUnavailable(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof ProviderUnavailable) return true
  }
  return false
}

/** Whether the provider or the user there refused the sign-in. */
export const isRefusedThere = (error: unknown): boolean =>
  error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied'
