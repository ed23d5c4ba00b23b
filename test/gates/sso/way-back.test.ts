// Signing in through a real identity provider: the way there and back, what is handed out on it, and what ends it.
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { providers } from '@muster/areas/access/sso/providers.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { peppered } from '@muster/kit/keyring.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { connected, member, someone, startProviders, wayBack } from './connected.ts'
import { startSite, Visitor } from './site.ts'

const { system, redis, keyring } = await testServices()
const site = await startSite()
const { idp, second } = await startProviders(site)
const halfWay = async (browser: Visitor, orgId: string, loginHint: string) =>
  wayBack(site, browser, await browser.begin(orgId, { loginHint }))

describe('several providers', () => {
  it('of one organisation work side by side, also in two windows of one browser', async () => {
    const there = await world()
    const one = await connected(there, idp)
    const two = await connected(there, second, { name: 'Second' })
    const first = await member(there, idp)
    const { email } = await person(
      { scope: 'organization', partnerId: there.partner.id, orgId: there.org.id },
      { role: 'Org Viewer' },
    )
    const other = someone(second, { email })
    const browser = new Visitor(site)
    const [toOne, toTwo] = [
      await browser.begin(there.org.id, { provider: one.id, loginHint: first.subject }),
      await browser.begin(there.org.id, { provider: two.id, loginHint: other.subject }),
    ]
    expect([toOne.origin, toTwo.origin]).toEqual([idp.issuer, second.issuer])
    expect((await browser.arrive(toTwo)).code).not.toBeNull()
    expect((await browser.arrive(toOne)).code).not.toBeNull()
  })

  it('are told apart: what one gave out does not count as the other’s', async () => {
    const there = await world()
    const one = await connected(there, idp)
    const two = await connected(there, second, { name: 'Second' })
    const { subject } = await member(there, idp)
    const browser = new Visitor(site)
    const toTwo = await browser.begin(there.org.id, { provider: two.id })
    const toOne = await browser.begin(there.org.id, { provider: one.id, loginHint: subject })
    // The browser comes back from the first provider with the state that belongs to the second.
    const url = await wayBack(site, browser, toOne)
    url.searchParams.set('state', toTwo.searchParams.get('state') ?? '')
    expect(await browser.arrive(url)).toMatchObject({ error: 'sign_in_failed', code: null })
  })

  it('of two organisations do not meet: a person of one is nobody in the other', async () => {
    const [here, there] = [await world(), await world()]
    await connected(here, idp)
    await connected(there, idp)
    const { subject } = await member(here, idp)
    expect((await new Visitor(site).signIn(here.org.id, subject)).code).not.toBeNull()
    expect(await new Visitor(site).signIn(there.org.id, subject)).toMatchObject({ error: 'no_org_access' })
  })
})

describe('on the way back', () => {
  it('a login session that is older than ten minutes has expired', async () => {
    const there = await world()
    await connected(there, idp)
    const { subject } = await member(there, idp)
    const browser = new Visitor(site)
    const back = await halfWay(browser, there.org.id, subject)
    const key = `sso:login:${peppered(keyring, back.searchParams.get('state') ?? '')}`
    const life = await redis.pttl(key)
    expect(life).toBeGreaterThan(0)
    expect(life).toBeLessThanOrEqual(600_000)
    await redis.del(key)
    expect(await browser.arrive(back)).toMatchObject({ error: 'session_expired' })
  })

  it('is taken once, in the browser that began, with the state that it got', async () => {
    const there = await world()
    await connected(there, idp)
    const { subject } = await member(there, idp)
    const browser = new Visitor(site)
    const back = await halfWay(browser, there.org.id, subject)
    expect((await browser.arrive(back)).code).not.toBeNull()
    expect(await browser.arrive(back)).toMatchObject({ error: 'session_expired' })
    const stolen = await halfWay(browser, there.org.id, subject)
    expect(await new Visitor(site).arrive(stolen)).toMatchObject({ error: 'session_expired' })
    const altered = await halfWay(browser, there.org.id, subject)
    altered.searchParams.set('state', 'x'.repeat(43))
    expect(await browser.arrive(altered)).toMatchObject({ error: 'session_expired' })
    for (const nonsense of ['', '?state=', '?state=a&state=b', `?state=${'y'.repeat(5_000)}`, '?code=x']) {
      const url = `${site.url}/api/v1/sso/callback${nonsense}`
      expect(await new Visitor(site).arrive(url)).toMatchObject({ error: 'session_expired' })
    }
  })

  it.each(['inactive', 'testing'] as const)('a provider that became %s is not found', async (status) => {
    const there = await world()
    const { id } = await connected(there, idp)
    const { subject } = await member(there, idp)
    const browser = new Visitor(site)
    const back = await halfWay(browser, there.org.id, subject)
    await call(there.partnerAdmin, providers.status, { id, status })
    expect(await browser.arrive(back)).toMatchObject({ error: 'provider_not_found' })
    expect(await new Visitor(site).signIn(there.org.id, subject)).toMatchObject({ error: 'provider_not_found' })
  })

  it('a provider that was deleted or became another is not found', async () => {
    const there = await world()
    const { id } = await connected(there, idp)
    const { subject } = await member(there, idp)
    const browser = new Visitor(site)
    const [first, later] = [
      await halfWay(browser, there.org.id, subject),
      await halfWay(browser, there.org.id, subject),
    ]
    await call(there.partnerAdmin, providers.update, { id, clientId: 'another', clientSecret: 'another' })
    expect(await browser.arrive(first)).toMatchObject({ error: 'provider_not_found' })
    await call(there.partnerAdmin, providers.remove, { id })
    expect(await browser.arrive(later)).toMatchObject({ error: 'provider_not_found' })
  })

  it('keys that were changed meanwhile are known', async () => {
    const there = await world()
    await connected(there, idp)
    const { subject } = await member(there, idp)
    const browser = new Visitor(site)
    const back = await halfWay(browser, there.org.id, subject)
    await idp.useNewKeys()
    expect((await browser.arrive(back)).code).not.toBeNull()
  })

  it('a person who was refused there is told so', async () => {
    const there = await world()
    await connected(there, idp)
    expect(await new Visitor(site).signIn(there.org.id, 'nobody-there')).toMatchObject({ error: 'access_denied' })
  })

  it('leads to a page of ours and nowhere else', async () => {
    const there = await world()
    await connected(there, idp)
    const { subject } = await member(there, idp)
    const landing = async (redirect: string) =>
      (await new Visitor(site).signIn(there.org.id, subject, { redirect })).url
    expect((await landing('/devices?view=1')).pathname).toBe('/devices')
    for (const evil of [
      '//evil.test',
      '/\\evil.test',
      'https://evil.test',
      '/\t/evil.test',
      '/a\r\nset-cookie:x',
      '/#x',
    ]) {
      expect((await landing(evil)).href.startsWith(`${site.url}/login#ssoCode=`), evil).toBe(true)
    }
  })
})

describe('the code', () => {
  async function arrived() {
    const there = await world()
    const provider = await connected(there, idp)
    const { userId, subject } = await member(there, idp)
    const browser = new Visitor(site)
    const { code } = await browser.signIn(there.org.id, subject)
    return { there, provider, browser, userId, code: code ?? '' }
  }

  it('is good once, however many exchange it at the same time', async () => {
    const { browser, code } = await arrived()
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => browser.exchange(code)))
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401])
  })

  it('is good in the browser that began, and gone when another tries it', async () => {
    const { browser, code } = await arrived()
    expect((await new Visitor(site).exchange(code)).status).toBe(401)
    expect((await browser.exchange(code)).status).toBe(401)
  })

  it('lives a minute', async () => {
    const { code } = await arrived()
    const life = await redis.pttl(`sso:code:${peppered(keyring, code)}`)
    expect(life).toBeGreaterThan(0)
    expect(life).toBeLessThanOrEqual(60_000)
  })

  it('is worth nothing once the provider, the member or the organisation is shut out', async () => {
    const one = await arrived()
    await call(one.there.partnerAdmin, providers.status, { id: one.provider.id, status: 'inactive' })
    const two = await arrived()
    await call(two.there.orgAdmin, users.update, { id: two.userId, status: 'disabled' })
    const three = await arrived()
    await call(three.there.partnerAdmin, organizations.remove, { id: three.there.org.id })
    for (const { browser, code } of [one, two, three]) expect((await browser.exchange(code)).status).toBe(401)
  })
})

describe('what a provider opened', () => {
  it('ends when the provider is switched off, deleted, or the person unlinked', async () => {
    const there = await world()
    const { id } = await connected(there, idp)
    const signedIn = async () => {
      const { userId, subject } = await member(there, idp)
      const browser = new Visitor(site)
      const { body } = await browser.exchange((await browser.signIn(there.org.id, subject)).code)
      const who = { token: body.accessToken as string }
      expect(await call(who, session.me, {})).toMatchObject({ id: userId })
      return { userId, who }
    }
    const isOut = async (who: { token: string }) => {
      await expect(call(who, session.me, {})).rejects.toMatchObject({ status: 401 })
    }
    const unlinked = await signedIn()
    const other = await signedIn()
    const { data } = await call(there.orgAdmin, providers.identities, { id })
    const identityId = data.find(({ userId }) => userId === unlinked.userId)?.id ?? ''
    await call(there.orgAdmin, providers.unlink, { id, identityId })
    await isOut(unlinked.who)
    expect(await call(other.who, session.me, {})).toMatchObject({ id: other.userId })
    await call(there.partnerAdmin, providers.status, { id, status: 'inactive' })
    await isOut(other.who)
    await call(there.partnerAdmin, providers.status, { id, status: 'active' })
    const last = await signedIn()
    await call(there.partnerAdmin, providers.remove, { id })
    await isOut(last.who)
    const { rows } = await system.query('SELECT FROM sso_identities WHERE provider_id = $1', [id])
    expect(rows).toEqual([])
  })
})
