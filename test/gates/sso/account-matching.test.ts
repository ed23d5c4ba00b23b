// Sign-in through a real identity provider over HTTP, as a browser does it: which user is signed in to which account.
import { providers } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, type World, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { connectProvider, member, newSubject, roleNamed, startProviders } from './provider-setup.ts'
import { BrowserClient, startSsoServer } from './sso-server.ts'

const { system } = await testServices()
const sso = await startSsoServer()
const { idp, second } = await startProviders(sso)

const failures = async (there: World) => {
  const { rows } = await system.query<{ error: string }>(
    `SELECT details->>'error' AS error FROM audit_logs WHERE org_id = $1 AND action = 'user.login.failed' ORDER BY at, id`,
    [there.org.id],
  )
  return rows.map(({ error }) => error)
}

describe('a member whose address the provider has verified', () => {
  it('is signed in to the organization, receives tokens and the cookie, and is linked', async () => {
    const there = await world()
    const provider = await connectProvider(there, idp)
    const { userId, email, subject } = await member(there, idp)
    const browser = new BrowserClient(sso)
    const arrived = await browser.signIn(there.org.id, subject)
    expect(arrived).toMatchObject({ error: null, code: expect.stringMatching(/^[\w-]{43}$/) })
    expect(arrived.url.pathname).toBe('/login')
    const { status, body } = await browser.exchange(arrived.code)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      mfaRequired: false,
      user: { id: userId, email, scope: 'organization', orgId: there.org.id, partnerId: there.partner.id },
    })
    expect(browser.cookies().get('service_refresh_token')).toBe(body.refreshToken)
    const me = await browser.get(`${sso.url}/api/v1/auth/me`, {
      headers: { authorization: `Bearer ${body.accessToken}` },
    })
    expect(JSON.parse(me.text)).toMatchObject({ id: userId, scope: 'organization' })
    const { data } = await call(there.orgAdmin, providers.identities, { id: provider.id })
    expect(data).toMatchObject([{ userId, subject, email, issuer: idp.issuer }])
    const actions = (await auditOf(userId)).map(({ action, details }) => [action, details.method])
    expect(actions).toEqual([
      ['sso.identity.link', undefined],
      ['user.login', 'sso'],
    ])
  })

  it('can refresh the session, and stays the same user when the address changes at the provider', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const { userId, subject } = await member(there, idp)
    const browser = new BrowserClient(sso)
    const { body } = await browser.exchange((await browser.signIn(there.org.id, subject)).code)
    expect(await browser.post('/auth/refresh', { refreshToken: body.refreshToken })).toMatchObject({ status: 200 })
    idp.people.set(subject, { email: `moved-${subject}@example.test`, email_verified: true })
    const again = new BrowserClient(sso)
    const { body: later } = await again.exchange((await again.signIn(there.org.id, subject)).code)
    expect(later.user.id).toBe(userId)
  })

  it('is not matched to another account of the provider that receives the address later', async () => {
    const there = await world()
    await connectProvider(there, idp, { autoProvision: true, defaultRoleId: await roleNamed(there) })
    const { subject, email } = await member(there, idp)
    await new BrowserClient(sso).signIn(there.org.id, subject)
    const later = newSubject(idp, { email })
    expect(await new BrowserClient(sso).signIn(there.org.id, later.subject)).toMatchObject({ error: 'user_not_found' })
  })

  it('accepts an invitation by signing in, unless the account is used outside of the organization', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const invite = (email: string) =>
      system.query(
        `WITH u AS (INSERT INTO users (email, name, status) VALUES ($1, 'Guest', 'invited') RETURNING id)
         INSERT INTO organization_users (org_id, partner_id, user_id, role_id, status, accepted_at)
         SELECT $2, $3, id, $4, 'invited', NULL FROM u`,
        [email, there.org.id, there.partner.id, roleId],
      )
    const roleId = await roleNamed(there)
    const guest = newSubject(idp)
    await invite(guest.email)
    expect((await new BrowserClient(sso).signIn(there.org.id, guest.subject)).code).not.toBeNull()
    const owner = newSubject(idp)
    await invite(owner.email)
    await system.query(`UPDATE users SET password_hash = 'x', email_verified_at = now() WHERE email = $1`, [
      owner.email,
    ])
    expect(await new BrowserClient(sso).signIn(there.org.id, owner.subject)).toMatchObject({ error: 'no_org_access' })
  })

  it('is found by mapped claims, and by the user info endpoint', async () => {
    const there = await world()
    const mapped = await connectProvider(there, idp, { attributeMapping: { email: 'upn' } })
    const first = await member(there, idp, { upn: 'set below' })
    idp.people.set(first.subject, {
      upn: first.email.toUpperCase(),
      email: 'not-me@example.test',
      email_verified: true,
    })
    expect(
      (await new BrowserClient(sso).signIn(there.org.id, first.subject, { provider: mapped.id })).code,
    ).not.toBeNull()
    const thin = await connectProvider(there, second, { name: 'Thin' })
    const { email } = await person(
      { scope: 'organization', partnerId: there.partner.id, orgId: there.org.id },
      { role: 'Org Viewer' },
    )
    const { subject } = newSubject(second, { email })
    expect((await new BrowserClient(sso).signIn(there.org.id, subject, { provider: thin.id })).code).not.toBeNull()
  })
})

describe('an unknown user', () => {
  it('is rejected with user_not_found if users are not added automatically', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const { subject } = newSubject(idp)
    expect(await new BrowserClient(sso).signIn(there.org.id, subject)).toMatchObject({
      error: 'user_not_found',
      code: null,
    })
    expect(await failures(there)).toEqual(['user_not_found'])
  })

  it('is added with the default role and the name from the provider, and audited', async () => {
    const there = await world()
    const defaultRoleId = await roleNamed(there)
    await connectProvider(there, idp, { autoProvision: true, defaultRoleId })
    const { subject, email } = newSubject(idp)
    const browser = new BrowserClient(sso)
    const { body } = await browser.exchange((await browser.signIn(there.org.id, subject)).code)
    const made = await call(there.orgAdmin, users.get, { id: body.user.id })
    expect(made).toMatchObject({ email, name: 'Grace Hopper', status: 'active', roleId: defaultRoleId })
    const actions = (await auditOf(made.id)).map(({ action }) => action)
    expect(actions.sort()).toEqual(['sso.identity.link', 'sso.user.create', 'user.login'])
  })

  it('is created once by several sign-ins at the same time', async () => {
    const there = await world()
    await connectProvider(there, idp, { autoProvision: true, defaultRoleId: await roleNamed(there) })
    const { subject, email } = newSubject(idp)
    const arrivals = await Promise.all([1, 2, 3].map(() => new BrowserClient(sso).signIn(there.org.id, subject)))
    expect(arrivals.map(({ error }) => error)).toEqual([null, null, null])
    const { rows } = await system.query('SELECT id FROM users WHERE email = $1', [email])
    expect(rows).toHaveLength(1)
  })

  it('is rejected with default_role_required if the role was deleted', async () => {
    const there = await world()
    const { id } = await connectProvider(there, idp, { autoProvision: true, defaultRoleId: await roleNamed(there) })
    await system.query('UPDATE sso_providers SET default_role_id = NULL WHERE id = $1', [id])
    const { subject } = newSubject(idp)
    expect(await new BrowserClient(sso).signIn(there.org.id, subject)).toMatchObject({ error: 'default_role_required' })
  })
})

describe('a user with an account outside of the organization', () => {
  it('is rejected with no_org_access, also if users are added automatically', async () => {
    const there = await world()
    const elsewhere = await world()
    await connectProvider(there, idp, { autoProvision: true, defaultRoleId: await roleNamed(there) })
    for (const { email } of [elsewhere.partnerAdmin, elsewhere.orgAdmin, there.partnerAdmin, there.systemAdmin]) {
      const { subject } = newSubject(idp, { email })
      expect(await new BrowserClient(sso).signIn(there.org.id, subject)).toMatchObject({ error: 'no_org_access' })
    }
    expect(await failures(there)).toHaveLength(4)
  })

  it('is rejected if the membership was removed or disabled', async () => {
    const there = await world()
    await connectProvider(there, idp, { autoProvision: true, defaultRoleId: await roleNamed(there) })
    const disabled = await member(there, idp)
    await call(there.orgAdmin, users.update, { id: disabled.userId, status: 'disabled' })
    const removed = await member(there, idp)
    const linked = new BrowserClient(sso)
    await linked.signIn(there.org.id, removed.subject)
    await call(there.orgAdmin, users.remove, { id: removed.userId })
    for (const { subject } of [disabled, removed]) {
      expect(await new BrowserClient(sso).signIn(there.org.id, subject)).toMatchObject({ error: 'no_org_access' })
    }
  })

  it('can access only the organization in a session of its provider', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const { userId, subject } = await member(there, idp)
    const viewer = await person({ scope: 'partner', partnerId: there.partner.id }, { role: 'Partner Viewer' })
    await system.query('UPDATE partner_users SET user_id = $1 WHERE user_id = $2', [userId, viewer.userId])
    const browser = new BrowserClient(sso)
    const { body } = await browser.exchange((await browser.signIn(there.org.id, subject)).code)
    const headers = { authorization: `Bearer ${body.accessToken}` }
    expect(body.user).toMatchObject({ scope: 'organization', orgId: there.org.id })
    const elsewhere = { scope: 'partner', partnerId: there.partner.id }
    expect((await browser.post('/auth/switch', elsewhere, headers)).status).toBe(403)
    expect((await browser.post('/auth/mfa/setup', {}, headers)).status).toBe(403)
    const memberships = await browser.get(`${sso.url}/api/v1/auth/memberships`, { headers })
    expect(JSON.parse(memberships.text).data).toHaveLength(1)
  })
})

describe('the address', () => {
  const narrow = world().then(async (there) => {
    await connectProvider(there, idp, { allowedDomains: 'Example.TEST' })
    return there
  })

  it('is accepted only if the provider does not report it as unverified', async () => {
    const there = await world()
    await connectProvider(there, idp)
    const unverified = await member(there, idp, { email_verified: false })
    expect(await new BrowserClient(sso).signIn(there.org.id, unverified.subject)).toMatchObject({
      error: 'email_not_verified',
    })
    const none = newSubject(idp)
    idp.people.set(none.subject, { name: 'No address' })
    expect(await new BrowserClient(sso).signIn(there.org.id, none.subject)).toMatchObject({
      error: 'email_not_verified',
    })
  })

  it.each([
    ['case', 'EXAMPLE.Test', true],
    ['another domain', 'example.org', false],
    ['a subdomain', 'mail.example.test', false],
    ['a longer domain', 'example.test.evil.test', false],
    ['a domain before it', 'notexample.test', false],
    ['a Cyrillic letter', 'ex\u0430mple.test', false],
    ['full-width letters', 'ｅxample.test', true],
    ['an ideographic full stop', 'example\u3002test', false],
    ['a soft hyphen', 'exam\u00adple.test', false],
    ['a zero-width space', 'exam\u200bple.test', false],
    ['a trailing dot', 'example.test.', false],
    ['a second @', 'evil.test@example.test', false],
    ['a percent sign', 'example.test%2eevil.test', false],
    ['a slash', 'example.test/evil.test', false],
  ])('is compared with the allowed domains: %s', async (_what, domain, isAllowed) => {
    const there = await narrow
    const { subject } = newSubject(idp, { email: `ada@${domain}` })
    const { error } = await new BrowserClient(sso).signIn(there.org.id, subject)
    expect(error).toBe(isAllowed ? 'user_not_found' : 'domain_not_allowed')
  })

  it('in an international domain is compared in its ASCII form, both ways', async () => {
    const there = await world()
    await connectProvider(there, idp, { allowedDomains: 'bücher.example,xn--mnchen-3ya.example' })
    for (const domain of ['xn--bcher-kva.example', 'BÜCHER.example', 'münchen.example']) {
      const { subject } = newSubject(idp, { email: `ada@${domain}` })
      expect(await new BrowserClient(sso).signIn(there.org.id, subject), domain).toMatchObject({
        error: 'user_not_found',
      })
    }
  })
})
