// Case A5: whatever an identity provider, or somebody between it and us, does wrong, there is no session at the end of it.
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { providers } from '@muster/areas/access/sso/providers.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { SignJWT } from 'jose'
import { afterAll, describe, expect, it } from 'vitest'
import { startCrookedProvider, unsigned, type Wrongdoing } from './crooked-provider.ts'
import { startSite, Visitor } from './site.ts'

const { system } = await testServices()
const site = await startSite()
const crook = await startCrookedProvider()
const other = await startCrookedProvider()
afterAll(() => Promise.all([crook.stop(), other.stop()]))
const there = await world()
const clientSecret = 'a secret between us that nobody else has'

/** A provider of its own for each try, so that no discovery is remembered from the one before. */
async function connect(issuer = crook.issuer) {
  const orgId = there.org.id
  const given = { orgId, name: 'Crook', issuer, clientId: crook.clientId, clientSecret }
  const { id } = await call(there.partnerAdmin, providers.create, given)
  await call(there.partnerAdmin, providers.status, { id, status: 'active' })
  return id
}
const provider = await connect()

async function signIn(wrong: Wrongdoing, back: Record<string, string> = {}) {
  crook.doWrong({})
  const browser = new Visitor(site)
  const address = await browser.begin(there.org.id, { provider })
  crook.remember(address)
  crook.doWrong(wrong)
  const url = new URL(`${site.url}/api/v1/sso/callback`)
  const state = address.searchParams.get('state') ?? ''
  for (const [name, value] of Object.entries({ code: 'a-code', state, ...back })) url.searchParams.set(name, value)
  return browser.arrive(url)
}
const in1970 = 60
const { privateKey: strangerKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const hmacToken = (claims: object, key: string) => {
  const body = [{ alg: 'HS256', kid: 'one' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `${body.join('.')}.${createHmac('sha256', key).update(body.join('.')).digest('base64url')}`
}

it('what is right comes through as far as the address, which nobody has', async () => {
  expect(await signIn({})).toMatchObject({ error: 'user_not_found' })
})

describe('an ID token', () => {
  const wrongs: Record<string, Wrongdoing> = {
    'of another issuer': { claims: { iss: 'https://elsewhere.example' } },
    'of the other provider': { claims: { iss: other.issuer } },
    'for another audience': { claims: { aud: 'somebody-else' } },
    'for several audiences without us as the party': { claims: { aud: [crook.clientId, 'x'], azp: 'x' } },
    'with another nonce': { claims: { nonce: 'another' } },
    'without a nonce': { claims: { nonce: undefined } },
    'without a subject': { claims: { sub: undefined } },
    'that has expired': { claims: { exp: in1970 } },
    'that is not valid yet': { claims: { nbf: Math.trunc(Date.now() / 1000) + 3_600 } },
    'that was issued at no time': { claims: { iat: undefined } },
    'that nobody signed': { idToken: unsigned },
    'that nobody signed, as announced': {
      idToken: unsigned,
      document: { id_token_signing_alg_values_supported: ['none'] },
    },
    'signed with our secret': { idToken: (claims) => hmacToken(claims, clientSecret) },
    'signed with the public key as a secret': {
      idToken: (claims) => hmacToken(claims, JSON.stringify(crook.published)),
    },
    'signed by a stranger': {
      idToken: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(strangerKey),
    },
    'signed with a key that is not published': { header: { kid: 'two' } },
    'that is altered': {
      idToken: (claims) => `${unsigned(claims).replace(/\.$/, '')}.AAAA`,
    },
    'that is no token': { idToken: () => 'nonsense' },
  }
  it.each(Object.entries(wrongs))('%s opens nothing', async (_what, wrong) => {
    expect(await signIn(wrong)).toMatchObject({ error: 'sign_in_failed', code: null })
  })

  it('within a minute of clocks that differ is good', async () => {
    const now = Math.trunc(Date.now() / 1000)
    expect(await signIn({ claims: { exp: now - 20, iat: now + 20 } })).toMatchObject({ error: 'user_not_found' })
  })
})

describe('an answer in the browser', () => {
  it('that says it comes from another issuer opens nothing', async () => {
    expect(await signIn({}, { iss: other.issuer })).toMatchObject({ error: 'sign_in_failed' })
    expect(await signIn({}, { iss: crook.issuer })).toMatchObject({ error: 'user_not_found' })
  })
  it('that is an error, or brings no code, opens nothing', async () => {
    expect(await signIn({}, { error: 'access_denied' })).toMatchObject({ error: 'access_denied' })
    expect(await signIn({}, { error: 'server_error' })).toMatchObject({ error: 'sign_in_failed' })
    expect(await signIn({}, { code: '' })).toMatchObject({ error: 'sign_in_failed' })
  })
})

describe('a provider', () => {
  const notHere = (path: string, how: (response: import('node:http').ServerResponse) => void): Wrongdoing => ({
    answer(request, response) {
      if (request.url !== path) return false
      how(response)
      return true
    },
  })
  const never = () => undefined

  it.each([
    ['whose keys do not come', notHere('/keys', never), 'provider_unavailable'],
    [
      'whose keys drip',
      notHere('/keys', (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const drip = setInterval(() => response.write(' '), 200)
        response.once('close', () => clearInterval(drip))
      }),
      'provider_unavailable',
    ],
    ['whose keys are no keys', { keys: { keys: 'none' } }, 'sign_in_failed'],
    ['whose keys are none', { keys: { keys: [] } }, 'sign_in_failed'],
    [
      'whose keys are a page',
      notHere('/keys', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
      'sign_in_failed',
    ],
    [
      'whose keys have no end',
      notHere('/keys', (response) => response.writeHead(200).end(Buffer.alloc(2_000_000, 32))),
      'provider_unavailable',
    ],
    ['whose keys are broken', notHere('/keys', (response) => response.writeHead(500).end()), 'sign_in_failed'],
    [
      'whose token endpoint sends us elsewhere',
      notHere('/token', (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end()),
      'sign_in_failed',
    ],
    ['whose token endpoint hangs up', notHere('/token', (response) => response.destroy()), 'provider_unavailable'],
    [
      'that does not know the code',
      notHere('/token', (response) =>
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}'),
      ),
      'sign_in_failed',
    ],
  ] as const)('%s opens nothing, and is told as such', async (_what, wrong, error) => {
    expect(await signIn(wrong)).toMatchObject({ error, code: null })
  })

  it('that is away is unavailable, and what went wrong can be read in the organisation’s log', async () => {
    const away = await startCrookedProvider()
    const id = await connect(away.issuer)
    await away.stop()
    await call(there.partnerAdmin, providers.update, { id, issuer: `${away.issuer}/`, clientSecret })
    const { headers } = await new Visitor(site).get(`${site.url}/api/v1/sso/login/${there.org.id}?provider=${id}`)
    expect(headers.get('location')).toBe(`${site.url}/login?error=provider_unavailable`)
    const { rows } = await system.query<{ error: string }>(
      `SELECT DISTINCT details->>'error' AS error FROM audit_logs WHERE org_id = $1 AND action = 'user.login.failed'`,
      [there.org.id],
    )
    expect(rows.map((row) => row.error)).toEqual(expect.arrayContaining(['sign_in_failed', 'provider_unavailable']))
  })

  it('that hangs holds up nobody else', async () => {
    crook.doWrong({})
    const browser = new Visitor(site)
    const address = await browser.begin(there.org.id, { provider })
    crook.remember(address)
    const slow = signIn(notHere('/keys', never))
    await pause(100)
    const health = await new Visitor(site).get(`${site.url}/api/v1/health`)
    expect(health.status).toBe(200)
    expect(await slow).toMatchObject({ error: 'provider_unavailable' })
  })
})
