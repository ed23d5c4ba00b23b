// Case A5: no fault of an identity provider, or of an attacker between it and Muster, leads to a session.
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { providers } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { SignJWT } from 'jose'
import { afterAll, describe, expect, it } from 'vitest'
import { type Faults, startFaultyProvider, unsigned } from './faulty-provider.ts'
import { BrowserClient, startSsoServer } from './sso-server.ts'

const { system } = await testServices()
const sso = await startSsoServer()
const faulty = await startFaultyProvider()
const other = await startFaultyProvider()
afterAll(() => Promise.all([faulty.stop(), other.stop()]))
const there = await world()
const clientSecret = 'a secret of the provider and Muster'

/** Each call adds another provider, so that no cached discovery document is used. */
async function connect(issuer = faulty.issuer) {
  const orgId = there.org.id
  const given = { orgId, name: 'Faulty', issuer, clientId: faulty.clientId, clientSecret }
  const { id } = await call(there.partnerAdmin, providers.create, given)
  await call(there.partnerAdmin, providers.status, { id, status: 'active' })
  return id
}
const provider = await connect()

async function signIn(faults: Faults, back: Record<string, string> = {}) {
  faulty.setFaults({})
  const browser = new BrowserClient(sso)
  const address = await browser.begin(there.org.id, { provider })
  faulty.rememberNonce(address)
  faulty.setFaults(faults)
  const url = new URL(`${sso.url}/api/v1/sso/callback`)
  const state = address.searchParams.get('state') ?? ''
  for (const [name, value] of Object.entries({ code: 'a-code', state, ...back })) url.searchParams.set(name, value)
  return browser.arrive(url)
}
const in1970 = 60
const { privateKey: otherPartyKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const hmacToken = (claims: object, key: string) => {
  const body = [{ alg: 'HS256', kid: 'one' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `${body.join('.')}.${createHmac('sha256', key).update(body.join('.')).digest('base64url')}`
}

it('a correct response is accepted, and then rejected because no user has the address', async () => {
  expect(await signIn({})).toMatchObject({ error: 'user_not_found' })
})

describe('an ID token', () => {
  const faultyTokens: Record<string, Faults> = {
    'of another issuer': { claims: { iss: 'https://elsewhere.example' } },
    'of the other provider': { claims: { iss: other.issuer } },
    'for another audience': { claims: { aud: 'another-client' } },
    'for several audiences and another authorized party': { claims: { aud: [faulty.clientId, 'x'], azp: 'x' } },
    'with another nonce': { claims: { nonce: 'another' } },
    'without a nonce': { claims: { nonce: undefined } },
    'without a subject': { claims: { sub: undefined } },
    'that is expired': { claims: { exp: in1970 } },
    'that is not valid yet': { claims: { nbf: Math.trunc(Date.now() / 1000) + 3_600 } },
    'without a time of issue': { claims: { iat: undefined } },
    'without a signature': { idToken: unsigned },
    'without a signature, as the discovery document announces': {
      idToken: unsigned,
      document: { id_token_signing_alg_values_supported: ['none'] },
    },
    'signed with the client secret': { idToken: (claims) => hmacToken(claims, clientSecret) },
    'signed with the public key as a secret': {
      idToken: (claims) => hmacToken(claims, JSON.stringify(faulty.published)),
    },
    'signed with a key of another party': {
      idToken: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(otherPartyKey),
    },
    'signed with a key that is not published': { header: { kid: 'two' } },
    'that is altered': {
      idToken: (claims) => `${unsigned(claims).replace(/\.$/, '')}.AAAA`,
    },
    'that is not a JWT': { idToken: () => 'nonsense' },
  }
  it.each(Object.entries(faultyTokens))('%s is rejected', async (_what, faults) => {
    expect(await signIn(faults)).toMatchObject({ error: 'sign_in_failed', code: null })
  })

  it('is accepted if the clocks differ by less than a minute', async () => {
    const now = Math.trunc(Date.now() / 1000)
    expect(await signIn({ claims: { exp: now - 20, iat: now + 20 } })).toMatchObject({ error: 'user_not_found' })
  })
})

describe('a callback', () => {
  it('that names another issuer is rejected', async () => {
    expect(await signIn({}, { iss: other.issuer })).toMatchObject({ error: 'sign_in_failed' })
    expect(await signIn({}, { iss: faulty.issuer })).toMatchObject({ error: 'user_not_found' })
  })
  it('with an error, or without a code, is rejected', async () => {
    expect(await signIn({}, { error: 'access_denied' })).toMatchObject({ error: 'access_denied' })
    expect(await signIn({}, { error: 'server_error' })).toMatchObject({ error: 'sign_in_failed' })
    expect(await signIn({}, { code: '' })).toMatchObject({ error: 'sign_in_failed' })
  })
})

describe('a provider', () => {
  const faultAt = (path: string, how: (response: import('node:http').ServerResponse) => void): Faults => ({
    answer(request, response) {
      if (request.url !== path) return false
      how(response)
      return true
    },
  })
  const never = () => undefined

  it.each([
    ['whose keys endpoint never answers', faultAt('/keys', never), 'provider_unavailable'],
    [
      'whose keys endpoint answers one byte at a time',
      faultAt('/keys', (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const drip = setInterval(() => response.write(' '), 200)
        response.once('close', () => clearInterval(drip))
      }),
      'provider_unavailable',
    ],
    ['whose key set is not a list', { keys: { keys: 'none' } }, 'sign_in_failed'],
    ['whose key set is empty', { keys: { keys: [] } }, 'sign_in_failed'],
    [
      'whose keys endpoint returns HTML',
      faultAt('/keys', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
      'sign_in_failed',
    ],
    [
      'whose key set is too large',
      faultAt('/keys', (response) => response.writeHead(200).end(Buffer.alloc(2_000_000, 32))),
      'provider_unavailable',
    ],
    [
      'whose keys endpoint answers 500',
      faultAt('/keys', (response) => response.writeHead(500).end()),
      'sign_in_failed',
    ],
    [
      'whose token endpoint redirects',
      faultAt('/token', (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end()),
      'sign_in_failed',
    ],
    [
      'whose token endpoint closes the connection',
      faultAt('/token', (response) => response.destroy()),
      'provider_unavailable',
    ],
    [
      'that rejects the code',
      faultAt('/token', (response) =>
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}'),
      ),
      'sign_in_failed',
    ],
  ] as const)('%s cannot sign users in, and the reason is reported', async (_what, faults, error) => {
    expect(await signIn(faults)).toMatchObject({ error, code: null })
  })

  it('that is down is reported as unavailable, and the audit log of the organization has the reasons', async () => {
    const stopped = await startFaultyProvider()
    const id = await connect(stopped.issuer)
    await stopped.stop()
    await call(there.partnerAdmin, providers.update, { id, issuer: `${stopped.issuer}/`, clientSecret })
    const { headers } = await new BrowserClient(sso).get(`${sso.url}/api/v1/sso/login/${there.org.id}?provider=${id}`)
    expect(headers.get('location')).toBe(`${sso.url}/login?error=provider_unavailable`)
    const { rows } = await system.query<{ error: string }>(
      `SELECT DISTINCT details->>'error' AS error FROM audit_logs WHERE org_id = $1 AND action = 'user.login.failed'`,
      [there.org.id],
    )
    expect(rows.map((row) => row.error)).toEqual(expect.arrayContaining(['sign_in_failed', 'provider_unavailable']))
  })

  it('that does not answer does not delay other requests', async () => {
    const waiting = Promise.withResolvers<void>()
    const slow = signIn(faultAt('/keys', () => waiting.resolve()))
    await waiting.promise
    const health = new BrowserClient(sso).get(`${sso.url}/api/v1/health`)
    expect(await Promise.race([slow, health])).toMatchObject({ status: 200 })
    expect(await slow).toMatchObject({ error: 'provider_unavailable' })
  })
})
