// Sign-in through a real identity provider: the callback, the code that it issues, and what ends the session.
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { providers } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { peppered } from '@muster/kit/secrets/keyring.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { callbackUrl, connectProvider, member, newSubject, startProviders } from './provider-setup.ts'
import { BrowserClient, startSsoServer } from './sso-server.ts'

const { system, redis, keyring } = await testServices()
const sso = await startSsoServer()
const { idp, second } = await startProviders(sso)
const pendingCallback = async (browser: BrowserClient, orgId: string, loginHint: string) =>
  callbackUrl(sso, browser, await browser.begin(orgId, { loginHint }))

describe('several providers', () => {
  it('of one organization work side by side, also in two windows of one browser', async () => {
    const there = await world()
    const one = await connectProvider(there, idp)
    const two = await connectProvider(there, second, { name: 'Second' })
    const first = await member(there, idp)
    const { email } = await person(
      { scope: 'organization', partnerId: there.partner.id, orgId: there.org.id },
      { role: 'Org Viewer' },
    )
    const other = newSubject(second, { email })
    const browser = new BrowserClient(sso)
    const [toOne, toTwo] = [
      await browser.begin(there.org.id, { provider: one.id, loginHint: first.subject }),
      await browser.begin(there.org.id, { provider: two.id, loginHint: other.subject }),
    ]
    expect([toOne.origin, toTwo.origin]).toEqual([idp.issuer, second.issuer])
    expect((await browser.arrive(toTwo)).code).not.toBeNull()
    expect((await browser.arrive(toOne)).code).not.toBeNull()
  })

  it('do not accept codes of each other', async () => {
    const there = await world()
    const one = await connectProvider(there, idp)
    const two = await connectProvider(there, second, { name: 'Second' })
    const { subject } = await member(there, idp)
    const browser = new BrowserClient(sso)
    const toTwo = await browser.begin(there.org.id, { provider: two.id })
    const toOne = await browser.begin(there.org.id, { provider: one.id, loginHint: subject })
    // The callback of the first provider has the state of the second.
    const url = await callbackUrl(sso, browser, toOne)
    url.searchParams.set('state', toTwo.searchParams.get('state') ?? '')
    expect(await browser.arrive(url)).toMatchObject({ error: 'sign_in_failed', code: null })
  })

  it('of two organizations are separate: a member of one cannot sign in to the other', async () => {
    const [here, there] = [await world(), await world()]
    await connectProvider(here, idp)
    await connectProvider(there, idp)
    const { subject } = await member(here, idp)
    expect((await new BrowserClient(sso).signIn(here.org.id, subject)).code).not.toBeNull()
    expect(await new BrowserClient(sso).signIn(there.org.id, subject)).toMatchObject({ error: 'no_org_access' })
  })
})

describe('the callback', () => {
  it('rejects a login session that is older than ten minutes', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const { subject } = await member(there, idp)
    const browser = new BrowserClient(sso)
    const back = await pendingCallback(browser, there.org.id, subject)
    const key = `sso:login:${peppered(keyring, back.searchParams.get('state') ?? '')}`
    const life = await redis.pttl(key)
    expect(life).toBeGreaterThan(0)
    expect(life).toBeLessThanOrEqual(600_000)
    await redis.del(key)
    expect(await browser.arrive(back)).toMatchObject({ error: 'session_expired' })
  })

  it('works once, in the browser that started the sign-in, with its state', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const { subject } = await member(there, idp)
    const browser = new BrowserClient(sso)
    const back = await pendingCallback(browser, there.org.id, subject)
    expect((await browser.arrive(back)).code).not.toBeNull()
    expect(await browser.arrive(back)).toMatchObject({ error: 'session_expired' })
    const stolen = await pendingCallback(browser, there.org.id, subject)
    expect(await new BrowserClient(sso).arrive(stolen)).toMatchObject({ error: 'session_expired' })
    const altered = await pendingCallback(browser, there.org.id, subject)
    altered.searchParams.set('state', 'x'.repeat(43))
    expect(await browser.arrive(altered)).toMatchObject({ error: 'session_expired' })
    for (const nonsense of ['', '?state=', '?state=a&state=b', `?state=${'y'.repeat(5_000)}`, '?code=x']) {
      const url = `${sso.url}/api/v1/sso/callback${nonsense}`
      expect(await new BrowserClient(sso).arrive(url)).toMatchObject({ error: 'session_expired' })
    }
  })

  it.each(['inactive', 'testing'] as const)('rejects a provider whose status became %s', async (status) => {
    const there = await world()
    const { id } = await connectProvider(there, idp)
    const { subject } = await member(there, idp)
    const browser = new BrowserClient(sso)
    const back = await pendingCallback(browser, there.org.id, subject)
    await call(there.partnerAdmin, providers.status, { id, status })
    expect(await browser.arrive(back)).toMatchObject({ error: 'provider_not_found' })
    expect(await new BrowserClient(sso).signIn(there.org.id, subject)).toMatchObject({ error: 'provider_not_found' })
  })

  it('rejects a provider that was deleted or received another client', async () => {
    const there = await world()
    const { id } = await connectProvider(there, idp)
    const { subject } = await member(there, idp)
    const browser = new BrowserClient(sso)
    const [first, later] = [
      await pendingCallback(browser, there.org.id, subject),
      await pendingCallback(browser, there.org.id, subject),
    ]
    await call(there.partnerAdmin, providers.update, { id, clientId: 'another', clientSecret: 'another' })
    expect(await browser.arrive(first)).toMatchObject({ error: 'provider_not_found' })
    await call(there.partnerAdmin, providers.remove, { id })
    expect(await browser.arrive(later)).toMatchObject({ error: 'provider_not_found' })
  })

  it('accepts signing keys that changed during the sign-in', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const { subject } = await member(there, idp)
    const browser = new BrowserClient(sso)
    const back = await pendingCallback(browser, there.org.id, subject)
    await idp.useNewKeys()
    expect((await browser.arrive(back)).code).not.toBeNull()
  })

  it('reports that the provider denied access', async () => {
    const there = await world()
    await connectProvider(there, idp)
    expect(await new BrowserClient(sso).signIn(there.org.id, 'unknown')).toMatchObject({ error: 'access_denied' })
  })

  it('redirects only to pages of Muster', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const { subject } = await member(there, idp)
    const landing = async (redirect: string) =>
      (await new BrowserClient(sso).signIn(there.org.id, subject, { redirect })).url
    expect((await landing('/devices?view=1')).pathname).toBe('/devices')
    for (const evil of [
      '//evil.test',
      '/\\evil.test',
      'https://evil.test',
      '/\t/evil.test',
      '/a\r\nset-cookie:x',
      '/#x',
    ]) {
      expect((await landing(evil)).href.startsWith(`${sso.url}/login#ssoCode=`), evil).toBe(true)
    }
  })
})

describe('the code', () => {
  async function arrived() {
    const there = await world()
    const provider = await connectProvider(there, idp)
    const { userId, subject } = await member(there, idp)
    const browser = new BrowserClient(sso)
    const { code } = await browser.signIn(there.org.id, subject)
    return { there, provider, browser, userId, code: code ?? '' }
  }

  it('is accepted once, also when several requests exchange it at the same time', async () => {
    const { browser, code } = await arrived()
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => browser.exchange(code)))
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401])
  })

  it('is accepted only in the browser that started the sign-in, and becomes invalid when another browser uses it', async () => {
    const { browser, code } = await arrived()
    expect((await new BrowserClient(sso).exchange(code)).status).toBe(401)
    expect((await browser.exchange(code)).status).toBe(401)
  })

  it('expires after a minute', async () => {
    const { code } = await arrived()
    const life = await redis.pttl(`sso:code:${peppered(keyring, code)}`)
    expect(life).toBeGreaterThan(0)
    expect(life).toBeLessThanOrEqual(60_000)
  })

  it('is rejected after the provider, the member or the organization is disabled or deleted', async () => {
    const one = await arrived()
    await call(one.there.partnerAdmin, providers.status, { id: one.provider.id, status: 'inactive' })
    const two = await arrived()
    await call(two.there.orgAdmin, users.update, { id: two.userId, status: 'disabled' })
    const three = await arrived()
    await call(three.there.partnerAdmin, organizations.remove, { id: three.there.org.id })
    for (const { browser, code } of [one, two, three]) expect((await browser.exchange(code)).status).toBe(401)
  })
})

describe('a session of a provider', () => {
  it('ends when the provider is turned off or deleted, or when the user is unlinked', async () => {
    const there = await world()
    const { id } = await connectProvider(there, idp)
    const signedIn = async () => {
      const { userId, subject } = await member(there, idp)
      const browser = new BrowserClient(sso)
      const { body } = await browser.exchange((await browser.signIn(there.org.id, subject)).code)
      const who = { token: body.accessToken as string }
      expect(await call(who, session.me, {})).toMatchObject({ id: userId })
      return { userId, who }
    }
    const expectSignedOut = async (who: { token: string }) => {
      await expect(call(who, session.me, {})).rejects.toMatchObject({ status: 401 })
    }
    const unlinked = await signedIn()
    const other = await signedIn()
    const { data } = await call(there.orgAdmin, providers.identities, { id })
    const identityId = data.find(({ userId }) => userId === unlinked.userId)?.id ?? ''
    await call(there.orgAdmin, providers.unlink, { id, identityId })
    await expectSignedOut(unlinked.who)
    expect(await call(other.who, session.me, {})).toMatchObject({ id: other.userId })
    await call(there.partnerAdmin, providers.status, { id, status: 'inactive' })
    await expectSignedOut(other.who)
    await call(there.partnerAdmin, providers.status, { id, status: 'active' })
    const last = await signedIn()
    await call(there.partnerAdmin, providers.remove, { id })
    await expectSignedOut(last.who)
    const { rows } = await system.query('SELECT FROM sso_identities WHERE provider_id = $1', [id])
    expect(rows).toEqual([])
  })
})
