// Tests an identity provider before it is used, and reports each step in words for administrators.
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '@muster/kit/errors.ts'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import { discover, fetchFromProvider, type Registration, requireProviderAddress } from '../identity-provider.ts'
import type { Discovery, Step } from './providers.contract.ts'

const attemptMs = 4_000
const safeAlgorithms = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/
const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional() })) })

type Metadata = Awaited<ReturnType<typeof discover>>
type Name = Step['step']

/** The innermost cause that has a message for administrators. Text from the provider is not repeated. */
function reasonOf(error: unknown): string {
  let message = 'The provider sent an unexpected answer'
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof AppError) return each.message
    const code = 'code' in each ? String(each.code) : ''
    if (/ENOTFOUND|EAI_AGAIN/.test(code)) message = 'The host name could not be resolved'
    else if (/ECONNREFUSED|ECONNRESET|EHOSTUNREACH/.test(code)) message = 'The host refused the connection'
    else if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
      message = 'The certificate of the host could not be verified'
    else if (each.name === 'TimeoutError' || /TIMEOUT/.test(code)) message = 'The provider did not answer in time'
    else if (/JSON_ATTRIBUTE_COMPARISON/.test(code)) message = 'The discovery document names another issuer'
    else if (/RESPONSE_IS_NOT_CONFORM/.test(code)) message = 'The answer was not 200 OK'
    else if (/RESPONSE_IS_NOT_JSON|PARSE_ERROR/.test(code)) message = 'The answer was not JSON'
    else if (/INVALID_RESPONSE/.test(code)) message = 'The answer was not a discovery document'
  }
  return message
}

const isForbidden = (error: unknown): boolean => {
  for (let each: unknown = error; each instanceof Error; each = each.cause) if (each instanceof AppError) return true
  return false
}

const notDiscovered = (message: string): Discovery => ({
  found: false,
  message,
  authorizationEndpoint: null,
  tokenEndpoint: null,
  jwksUri: null,
  userinfoEndpoint: null,
})

/** Tries the discovery of a new provider. It may fail, and takes at most a few seconds. */
export async function attemptDiscovery(services: Services, issuer: string): Promise<Discovery> {
  const late = new AbortController()
  const tooLate = pause(attemptMs, null, { signal: late.signal }).catch(() => null)
  try {
    const metadata = await Promise.race([discover(services, issuer, true), tooLate])
    if (metadata === null) return notDiscovered('The provider did not answer in time')
    return {
      found: true,
      message: '',
      authorizationEndpoint: metadata.authorization_endpoint ?? null,
      tokenEndpoint: metadata.token_endpoint ?? null,
      jwksUri: metadata.jwks_uri ?? null,
      userinfoEndpoint: metadata.userinfo_endpoint ?? null,
    }
  } catch (error) {
    return notDiscovered(reasonOf(error))
  } finally {
    late.abort()
  }
}

/** Collects the result of each step. */
class Report {
  readonly steps: Step[] = []

  add(step: Name, ok: boolean, message: string): void {
    this.steps.push({ step, ok, message })
  }

  get answer() {
    return { success: this.steps.every(({ ok }) => ok), steps: this.steps }
  }
}

/** Fetches the discovery document and the keys, and checks that sign-ins can work with them. */
export async function examine(services: Services, registration: Registration, scopes: string) {
  const report = new Report()
  const metadata = await readDocument(services, registration.issuer, report)
  if (metadata === null) return report.answer
  checkEndpoints(metadata, report)
  checkCapabilities(metadata, registration, scopes, report)
  await checkKeys(services, metadata, report)
  return report.answer
}

async function readDocument(services: Services, issuer: string, report: Report): Promise<Metadata | null> {
  try {
    const metadata = await discover(services, issuer, true)
    report.add('address', true, 'The URL of the issuer is allowed')
    report.add('discovery', true, 'The discovery document was read')
    report.add('issuer', true, `The discovery document names the issuer ${metadata.issuer}`)
    return metadata
  } catch (error) {
    const reason = reasonOf(error)
    if (isForbidden(error)) report.add('address', false, reason)
    else {
      report.add('address', true, 'The URL of the issuer is allowed')
      const isOther = reason === 'The discovery document names another issuer'
      if (isOther) report.add('discovery', true, 'The discovery document was read')
      report.add(isOther ? 'issuer' : 'discovery', false, reason)
    }
    return null
  }
}

function checkEndpoints(metadata: Metadata, report: Report): void {
  const needed = {
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    jwks_uri: metadata.jwks_uri,
  }
  const wrong = Object.entries(needed).flatMap(([name, address]) => {
    if (address === undefined) return [`${name} is missing`]
    try {
      requireProviderAddress(address)
      return []
    } catch {
      return [`${name} is not an https URL`]
    }
  })
  report.add('endpoints', wrong.length === 0, wrong.join('; ') || 'All endpoints are present')
}

function checkCapabilities(metadata: Metadata, registration: Registration, scopes: string, report: Report): void {
  const challenges = metadata.code_challenge_methods_supported
  const pkce = challenges === undefined || challenges.includes('S256')
  report.add(
    'pkce',
    pkce,
    challenges === undefined
      ? 'The discovery document does not mention PKCE. Muster uses it anyway'
      : pkce
        ? 'PKCE with S256 is supported'
        : 'PKCE with S256 is not supported',
  )
  const algorithms = metadata.id_token_signing_alg_values_supported ?? ['RS256']
  const safe = algorithms.filter((algorithm) => safeAlgorithms.test(algorithm))
  report.add(
    'algorithms',
    safe.length > 0,
    safe.length > 0
      ? `ID tokens are signed with ${safe.join(', ')}`
      : 'No supported signing algorithm for ID tokens is safe',
  )
  const ways = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const wanted = registration.clientSecret === null ? ['none'] : ['client_secret_basic', 'client_secret_post']
  const way = wanted.find((each) => ways.includes(each))
  report.add(
    'client',
    way !== undefined,
    way === undefined
      ? registration.clientSecret === null
        ? 'The provider requires a client secret'
        : 'The provider accepts the client secret neither as Basic authentication nor in the body'
      : `The client authenticates with ${way}`,
  )
  const offered = metadata.scopes_supported
  const missing = offered === undefined ? [] : scopes.split(' ').filter((scope) => !offered.includes(scope))
  report.add(
    'scopes',
    missing.length === 0,
    missing.length === 0 ? 'All scopes are supported' : `Scopes not supported: ${missing.join(', ')}`,
  )
}

async function checkKeys(services: Services, { jwks_uri: address }: Metadata, report: Report): Promise<void> {
  if (address === undefined) return report.add('keys', false, 'The discovery document has no jwks_uri')
  try {
    const answer = await fetchFromProvider(services, address)
    if (answer.status !== 200)
      return report.add('keys', false, `The request for the keys returned status ${answer.status}`)
    const { keys } = Keys.parse(JSON.parse(answer.body.toString('utf8')))
    const signing = keys.filter(({ kty, use }) => kty !== 'oct' && (use === undefined || use === 'sig'))
    report.add('keys', signing.length > 0, `${signing.length} signing keys were read`)
  } catch (error) {
    report.add(
      'keys',
      false,
      error instanceof SyntaxError || error instanceof z.ZodError
        ? 'The keys are not a JSON Web Key Set'
        : reasonOf(error),
    )
  }
}
