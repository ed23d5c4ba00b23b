// Case B10: no address that an identity provider is given, or gives itself, makes the server talk to the inside.
import { createServer } from 'node:net'
import { discover } from '@muster/areas/access/sso/identity-provider.ts'
import { providers } from '@muster/areas/access/sso/providers.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCrookedProvider } from './crooked-provider.ts'
import { startSite, Visitor } from './site.ts'

// The crooked provider itself is opened; everything else is not, the next loopback address included.
const site = await startSite(['127.0.0.1/32'])
const crook = await startCrookedProvider()
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
  await crook.stop()
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
  const { id } = await call(there.partnerAdmin, providers.create, given(crook.issuer))
  await call(there.partnerAdmin, providers.status, { id, status: 'active' })
  return id
}

describe('forbidden addresses', () => {
  it('as issuer are refused, or never connected to', async () => {
    for (const issuer of addresses()) {
      const made = await call(there.partnerAdmin, providers.create, given(issuer)).catch((error: unknown) => error)
      if (made instanceof Error) continue
      expect(made, issuer).toMatchObject({ discovery: { found: false } })
    }
    expect(connections).toBe(0)
  })

  it.each(['token_endpoint', 'jwks_uri', 'userinfo_endpoint'])('as %s end the sign-in unasked', async (field) => {
    const id = await active()
    for (const inside of addresses()) {
      // Only somebody whose address is not in the token makes us ask for more.
      const claims = field === 'userinfo_endpoint' ? { email: undefined } : {}
      crook.doWrong({ document: { [field]: `${inside}/` }, claims })
      await discover(site.services, crook.issuer, true)
      const browser = new Visitor(site)
      const address = await browser.begin(there.org.id, { provider: id })
      crook.remember(address)
      const state = address.searchParams.get('state') ?? ''
      const back = `${site.url}/api/v1/sso/callback?${new URLSearchParams({ code: 'x', state })}`
      const { error, code } = await browser.arrive(back)
      expect(['provider_unavailable', 'sign_in_failed'], inside).toContain(error)
      expect(code).toBeNull()
    }
    expect(connections).toBe(0)
  })

  it('are named by the test of a provider, and not connected to', async () => {
    const id = await active()
    crook.doWrong({ document: { jwks_uri: `https://127.0.0.2:${port}/` } })
    const { body } = await new Visitor(site).post(`/sso/providers/${id}/test`, {}, bearer)
    expect(body.success).toBe(false)
    expect(body.steps.at(-1)).toMatchObject({
      step: 'keys',
      ok: false,
      message: expect.stringContaining('not allowed'),
    })
    crook.doWrong({})
    const fine = await new Visitor(site).post(`/sso/providers/${id}/test`, {}, bearer)
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
    crook.doWrong({ document: { issuer: 'https://elsewhere.example', code_challenge_methods_supported: ['plain'] } })
    const other = await new Visitor(site).post(`/sso/providers/${id}/test`, {}, bearer)
    expect(other.body.steps.at(-1)).toMatchObject({ step: 'issuer', ok: false })
    expect(connections).toBe(0)
  })

  it('as the place to send the browser to are not used either', async () => {
    for (const evil of ['javascript:alert(1)', 'data:text/html,x', 'http://evil.example/']) {
      crook.doWrong({ document: { authorization_endpoint: evil } })
      await discover(site.services, crook.issuer, true)
      const id = await active()
      const path = `${site.url}/api/v1/sso/login/${there.org.id}?provider=${id}`
      const { headers } = await new Visitor(site).get(path)
      expect(headers.get('location'), evil).toBe(`${site.url}/login?error=provider_unavailable`)
    }
  })
})
