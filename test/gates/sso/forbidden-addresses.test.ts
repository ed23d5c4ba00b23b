// Case B10: no address of an identity provider, configured or discovered, makes the server connect to internal networks.
import { createServer } from 'node:net'
import { discover } from '@muster/areas/access/sso/identity-provider.ts'
import { providers } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyProvider } from './faulty-provider.ts'
import { BrowserClient, startSsoServer } from './sso-server.ts'

// Only the address of the faulty provider is allowed. All others are not, including the next loopback address.
const sso = await startSsoServer(['127.0.0.1/32'])
const faulty = await startFaultyProvider()
const there = await world()
let connections = 0
const trap = createServer((socket) => {
  connections += 1
  socket.destroy()
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, '0.0.0.0', resolve))
  const address = trap.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(async () => {
  trap.close()
  await faulty.stop()
})

const hosts = [
  '127.0.0.2',
  '127.1.1.1',
  '0.0.0.0',
  '2130706434',
  '0x7f000002',
  '0x7f.2',
  '0177.0.0.2',
  '127.2',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.2]',
  '[::ffff:7f00:2]',
  '[64:ff9b::7f00:2]',
  '[2002:7f00:2::]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '169.254.169.254',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '１２７.0.0.2',
]
const schemes = ['http', 'ftp', 'file', 'gopher', 'data', 'javascript']
const addresses = () => [
  ...hosts.map((host) => `https://${host}:${port}`),
  ...schemes.map((scheme) => `${scheme}://127.0.0.2:${port}`),
  `https://user:secret@127.0.0.1:${port}`,
]
const given = (issuer: string) => ({ orgId: there.org.id, name: 'Inside', issuer, clientId: 'muster' })

const bearer = { authorization: `Bearer ${there.partnerAdmin.token}` }
async function active(): Promise<string> {
  const { id } = await call(there.partnerAdmin, providers.create, given(faulty.issuer))
  await call(there.partnerAdmin, providers.status, { id, status: 'active' })
  return id
}

describe('forbidden addresses', () => {
  it('as issuer are rejected, or never connected to', async () => {
    for (const issuer of addresses()) {
      const made = await call(there.partnerAdmin, providers.create, given(issuer)).catch((error: unknown) => error)
      if (made instanceof Error) continue
      expect(made, issuer).toMatchObject({ discovery: { found: false } })
    }
    expect(connections).toBe(0)
  })

  it.each(['token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    'as %s end the sign-in without a connection',
    async (field) => {
      const id = await active()
      for (const inside of addresses()) {
        // The user info endpoint is called only if the token has no address.
        const claims = field === 'userinfo_endpoint' ? { email: undefined } : {}
        faulty.setFaults({ document: { [field]: `${inside}/` }, claims })
        await discover(sso.services, faulty.issuer, true)
        const browser = new BrowserClient(sso)
        const address = await browser.begin(there.org.id, { provider: id })
        faulty.rememberNonce(address)
        const state = address.searchParams.get('state') ?? ''
        const back = `${sso.url}/api/v1/sso/callback?${new URLSearchParams({ code: 'x', state })}`
        const { error, code } = await browser.arrive(back)
        expect(['provider_unavailable', 'sign_in_failed'], inside).toContain(error)
        expect(code).toBeNull()
      }
      expect(connections).toBe(0)
    },
  )

  it('are named in the test of a provider, which does not connect to them', async () => {
    const id = await active()
    faulty.setFaults({ document: { jwks_uri: `https://127.0.0.2:${port}/` } })
    const { body } = await new BrowserClient(sso).post(`/sso/providers/${id}/test`, {}, bearer)
    expect(body.success).toBe(false)
    expect(body.steps.at(-1)).toMatchObject({
      step: 'keys',
      ok: false,
      message: expect.stringContaining('not allowed'),
    })
    faulty.setFaults({})
    const fine = await new BrowserClient(sso).post(`/sso/providers/${id}/test`, {}, bearer)
    expect(fine.body.steps.map(({ step, ok }: { step: string; ok: boolean }) => [step, ok])).toEqual([
      ['address', true],
      ['discovery', true],
      ['issuer', true],
      ['endpoints', true],
      ['pkce', true],
      ['algorithms', true],
      ['client', true],
      ['scopes', true],
      ['keys', true],
    ])
    faulty.setFaults({ document: { issuer: 'https://elsewhere.example', code_challenge_methods_supported: ['plain'] } })
    const other = await new BrowserClient(sso).post(`/sso/providers/${id}/test`, {}, bearer)
    expect(other.body.steps.at(-1)).toMatchObject({ step: 'issuer', ok: false })
    expect(connections).toBe(0)
  })

  it('as authorization endpoint are rejected', async () => {
    for (const evil of ['javascript:alert(1)', 'data:text/html,x', 'http://evil.example/']) {
      faulty.setFaults({ document: { authorization_endpoint: evil } })
      await discover(sso.services, faulty.issuer, true)
      const id = await active()
      const path = `${sso.url}/api/v1/sso/login/${there.org.id}?provider=${id}`
      const { headers } = await new BrowserClient(sso).get(path)
      expect(headers.get('location'), evil).toBe(`${sso.url}/login?error=provider_unavailable`)
    }
  })
})
