// An enforced provider is the only way to sign in to its organization. Users of the partner can still turn it off.
import { passkeys } from '@muster/areas/access/auth/factors/passkeys.contract.ts'
import { sessions } from '@muster/areas/access/auth/sessions/sessions.contract.ts'
import { password as passwords } from '@muster/areas/access/auth/sign-in/password.contract.ts'
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { roles } from '@muster/areas/access/roles/roles.contract.ts'
import { providers } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { newPassword, ownAddress, withPassword } from '@muster/testkit/credentials.ts'
import { mailsTo, tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, type World, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { connectProvider, member, startProviders } from './provider-setup.ts'
import { BrowserClient, startSsoServer } from './sso-server.ts'

const { system } = await testServices()
const sso = await startSsoServer()
const { idp } = await startProviders(sso)
const login = (email: string, password: string) => call(null, session.login, { email, password }, { ip: ownAddress() })
const tenant = ({ partner, org }: World) => ({ scope: 'organization', partnerId: partner.id, orgId: org.id }) as const

describe('while single sign-on is enforced', () => {
  it('both correct and wrong passwords are rejected, and only a correct one receives the sign-in URL', async () => {
    const there = await world()
    const { email, password } = await withPassword(
      await person(tenant(there), { role: 'Org Viewer', mfaEnabled: false }),
    )
    const { id } = await connectProvider(there, idp, { enforceSSO: true })
    expect(await refusal(login(email, password))).toMatchObject({
      status: 403,
      code: 'SSO_REQUIRED',
      message: 'Your organization requires single sign-on',
      extra: { orgId: there.org.id, loginUrl: `/api/v1/sso/login/${there.org.id}` },
    })
    expect(await refusal(login(email, newPassword()))).toMatchObject({
      status: 401,
      message: 'Invalid email or password',
    })
    await call(there.partnerAdmin, providers.status, { id, status: 'testing' })
    expect(await login(email, password)).toMatchObject({ mfaRequired: false })
    await call(there.partnerAdmin, providers.status, { id, status: 'active' })
    await call(there.partnerAdmin, providers.update, { id, enforceSSO: false })
    expect(await login(email, password)).toMatchObject({ mfaRequired: false })
  })

  it('sessions of the provider can be refreshed, sessions of a password cannot', async () => {
    const there = await world()
    const known = await member(there, idp)
    const { email, password } = await withPassword(known)
    const before = await login(email, password)
    if (before.mfaRequired) throw new Error('no second factor was expected')
    const provider = await connectProvider(there, idp, { enforceSSO: true })
    const { refreshToken } = before
    const refreshed = call(null, session.refresh, { refreshToken }, { ip: ownAddress() })
    expect(await refusal(refreshed)).toMatchObject({ status: 401 })
    const browser = new BrowserClient(sso)
    const { body } = await browser.exchange((await browser.signIn(there.org.id, known.subject)).code)
    expect((await browser.post('/auth/refresh', { refreshToken: body.refreshToken })).status).toBe(200)
    await call(there.partnerAdmin, providers.update, { id: provider.id, enforceSSO: false })
  })

  it('password reset links are not sent or accepted, and passkeys are rejected', async () => {
    const there = await world()
    const { email, password, userId } = await withPassword(await person(tenant(there), { role: 'Org Viewer' }))
    const ip = ownAddress()
    await call(null, passwords.forgot, { email }, { ip })
    const token = await tokenMailedTo(email)
    await connectProvider(there, idp, { enforceSSO: true })
    expect(await refusal(call(null, passwords.reset, { token, newPassword: newPassword() }, { ip }))).toMatchObject({
      status: 400,
    })
    await call(null, passwords.forgot, { email }, { ip })
    expect(await mailsTo(email)).toHaveLength(1)
    expect(await refusal(login(email, password))).toMatchObject({ code: 'SSO_REQUIRED' })
    await system.query('SELECT FROM users WHERE id = $1', [userId])
    const { challengeToken } = await call(null, passkeys.loginOptions, {}, { ip })
    const nonsense = call(null, passkeys.login, { challengeToken, passkey: { id: 'x' } }, { ip })
    expect(await refusal(nonsense)).toMatchObject({ status: 401 })
  })

  it('users of the partner sign in with a password and can turn it off, but cannot switch to the organization', async () => {
    const there = await world()
    const technician = await withPassword(
      await person({ scope: 'partner', partnerId: there.partner.id }, { role: 'Partner Viewer', mfaEnabled: false }),
    )
    await system.query(
      `INSERT INTO organization_users (org_id, partner_id, user_id, role_id)
       SELECT $1, $2, $3, id FROM roles WHERE is_system AND name = 'Org Viewer'`,
      [there.org.id, there.partner.id, technician.userId],
    )
    const { id } = await connectProvider(there, idp, { enforceSSO: true })
    const inside = await login(technician.email, technician.password)
    expect(inside).toMatchObject({ user: { scope: 'partner' } })
    if (inside.mfaRequired) throw new Error('no second factor was expected')
    const into = call({ token: inside.accessToken }, sessions.switch, {
      scope: 'organization',
      orgId: there.org.id,
      partnerId: there.partner.id,
    })
    expect(await refusal(into)).toMatchObject({ code: 'SSO_REQUIRED' })
    expect(await call(there.partnerAdmin, providers.status, { id, status: 'inactive' })).toMatchObject({
      status: 'inactive',
    })
  })
})

describe('a required second factor', () => {
  async function withForcedMfa(trustMfa: boolean, amr: string[]) {
    const there = await world()
    const provider = await connectProvider(there, idp, { trustMfa })
    const known = await member(there, idp, { amr })
    const role = await call(there.orgAdmin, roles.create, {
      name: 'Careful',
      forceMfa: true,
      permissions: [{ resource: 'devices', action: 'read' }],
    })
    await system.query('UPDATE organization_users SET role_id = $1 WHERE user_id = $2', [role.id, known.userId])
    const browser = new BrowserClient(sso)
    const { body } = await browser.exchange((await browser.signIn(there.org.id, known.subject)).code)
    const devices = async () => {
      const headers = { authorization: `Bearer ${body.accessToken}` }
      return (await browser.get(`${sso.url}/api/v1/devices`, { headers })).status
    }
    return { there, provider, known, body, devices }
  }

  it('is satisfied by a trusted provider that reports one, until the trust ends', async () => {
    const { there, provider, body, devices } = await withForcedMfa(true, ['pwd', 'mfa'])
    expect(body).toMatchObject({ mfaRequired: false, mfaEnrollmentRequired: false })
    expect(await devices()).toBe(200)
    await call(there.partnerAdmin, providers.update, { id: provider.id, trustMfa: false })
    await expect.poll(devices, { timeout: 10_000 }).toBe(428)
  })

  it.each([
    ['not trusted', false, ['pwd', 'mfa']],
    ['trusted and reports none', true, ['pwd']],
    ['trusted and reports no methods', true, []],
  ])('is required if the provider is %s', async (_what, trustMfa, amr) => {
    const { body, devices } = await withForcedMfa(trustMfa, amr)
    expect(body).toMatchObject({ mfaRequired: false, mfaEnrollmentRequired: true })
    expect(await devices()).toBe(428)
  })

  it('is required after the provider if the user has enrolled one', async () => {
    const { there, known } = await withForcedMfa(false, ['mfa'])
    await system.query(`UPDATE users SET mfa_enabled = true, mfa_method = 'totp' WHERE id = $1`, [known.userId])
    const browser = new BrowserClient(sso)
    const { body } = await browser.exchange((await browser.signIn(there.org.id, known.subject)).code)
    expect(body).toMatchObject({ mfaRequired: true, methods: ['totp', 'recovery'], tempToken: expect.any(String) })
    expect(body).not.toHaveProperty('accessToken')
  })
})
