import { randomBytes } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { newPassword, ownAddress, withPassword } from '@muster/testkit/credentials.ts'
import { tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { password } from '../../auth/sign-in/password.contract.ts'
import { registration } from '../../auth/sign-in/registration.contract.ts'
import { session } from '../../auth/sign-in/session.contract.ts'
import { protection } from '../protection/protection.contract.ts'
import { users } from '../users.contract.ts'
import { invitations } from './invitations.contract.ts'

const here = await world()
const there = await world()
const { settings, system } = await testServices()
const address = () => `${randomBytes(6).toString('hex')}@example.test`
const anywhere = () => ({ ip: ownAddress() })
const roleOf = async (name: string) =>
  (await call(here.partnerAdmin, users.roles, {})).data.find((role) => role.name === name)?.id ?? ''
const viewer = await roleOf('Partner Viewer')
const tokenOf = (url: string | undefined) => url?.split('#token=')[1] ?? ''
const invite = (email: string, by = here) =>
  call(by.partnerAdmin, invitations.invite, { email, name: 'Guest', roleId: viewer })
const accept = (token: string, chosen: string) =>
  call(null, invitations.acceptInvite, { token, password: chosen }, anywhere())
const signIn = async (email: string, given: string) => {
  const tokens = await call(null, session.login, { email, password: given }, anywhere())
  if (tokens.mfaRequired) throw new Error('unexpected request for a second factor')
  return { ...tokens, token: tokens.accessToken }
}

describe('with a mail server', () => {
  it('responses contain no invitation link and no reset link', async () => {
    const member = await invite(address())
    expect(member.inviteUrl).toBeUndefined()
    const again = await call(here.partnerAdmin, invitations.resendInvite, { userId: member.id })
    expect(again).toEqual({ success: true })
    const who = await withPassword(
      await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Viewer' }),
    )
    expect((await call(here.partnerAdmin, protection.resetPassword, { id: who.userId })).resetUrl).toBeUndefined()
  })
})

describe('without a mail server', () => {
  beforeAll(() => void Object.assign(settings, { mailServer: false }))
  afterAll(() => void Object.assign(settings, { mailServer: true }))

  it('shows the inviter a link once, keeps it out of the audit log, and the link opens the inviting tenant', async () => {
    const email = address()
    const member = await invite(email)
    expect(member.inviteUrl).toMatch(/\/accept-invite#token=[\w-]{43}$/)
    const token = tokenOf(member.inviteUrl)
    expect(JSON.stringify(await auditOf(member.id))).not.toContain(token)
    expect(await call(here.partnerAdmin, users.get, { id: member.id })).not.toHaveProperty('inviteUrl')
    const chosen = newPassword()
    await accept(token, chosen)
    const who = await signIn(email, chosen)
    expect(who.emailVerificationRequired).toBe(false)
    expect(await call(who, session.me, {})).toMatchObject({ partnerId: here.partner.id, emailVerified: false })
    expect(await refusal(accept(token, chosen))).toMatchObject({ status: 400 })
  })

  it('a resent link replaces the previous link', async () => {
    const member = await invite(address())
    const again = await call(here.partnerAdmin, invitations.resendInvite, { userId: member.id })
    expect(await refusal(accept(tokenOf(member.inviteUrl), newPassword()))).toMatchObject({ status: 400 })
    expect(await accept(tokenOf(again.inviteUrl), newPassword())).toMatchObject({ success: true })
  })

  it('a handed link proves no mailbox: opening the first mailed link removes the credentials set through it', async () => {
    const email = address()
    const inviters = newPassword()
    await accept(tokenOf((await invite(email)).inviteUrl), inviters)
    await invite(email, there)
    const owners = newPassword()
    await accept(await tokenMailedTo(email), owners)
    expect(await refusal(signIn(email, inviters))).toMatchObject({ status: 401 })
    expect(await signIn(email, owners)).toMatchObject({ emailVerificationRequired: false })
  })

  it('a handed link of another tenant requires the password of the existing account', async () => {
    const email = address()
    const own = newPassword()
    await accept(tokenOf((await invite(email)).inviteUrl), own)
    const foreign = tokenOf((await invite(email, there)).inviteUrl)
    expect(await refusal(accept(foreign, newPassword()))).toMatchObject({ status: 401 })
    const proven = await withPassword(
      await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' }),
    )
    const greater = tokenOf((await invite(proven.email, there)).inviteUrl)
    expect(await refusal(accept(greater, newPassword()))).toMatchObject({ status: 401 })
    expect(await call(proven, session.me, {})).toMatchObject({ id: proven.userId })
  })

  it('a handed link opens only the inviting tenant when a stranger has registered the address', async () => {
    const email = address()
    const strangers = newPassword()
    const company = { email, name: 'Stranger', password: strangers, companyName: 'Strangers' }
    await call(null, registration.registerPartner, company, anywhere())
    const chosen = newPassword()
    await accept(tokenOf((await invite(email)).inviteUrl), chosen)
    expect(await refusal(signIn(email, strangers))).toMatchObject({ status: 401 })
    expect((await signIn(email, chosen)).user.partnerId).toBe(here.partner.id)
  })

  it('a change of the membership invalidates its handed link', async () => {
    const member = await invite(address())
    await call(here.partnerAdmin, users.role, { id: member.id, roleId: await roleOf('Partner Admin') })
    expect(await refusal(accept(tokenOf(member.inviteUrl), newPassword()))).toMatchObject({ status: 400 })
  })

  it('a reset returns a link only to an administrator who manages everything that the account can access', async () => {
    const tenant = { scope: 'partner', partnerId: here.partner.id } as const
    const who = await withPassword(await person(tenant, { role: 'Partner Viewer', mfaEnabled: false }))
    const { resetUrl } = await call(here.partnerAdmin, protection.resetPassword, { id: who.userId })
    expect(resetUrl).toMatch(/\/reset-password#token=[\w-]{43}$/)
    expect(JSON.stringify(await auditOf(who.userId))).not.toContain(tokenOf(resetUrl))
    const chosen = newPassword()
    await call(null, password.reset, { token: tokenOf(resetUrl), newPassword: chosen }, anywhere())
    expect(await signIn(who.email, chosen)).toMatchObject({ user: { id: who.userId } })
    const shared = await withPassword(await person(tenant, { role: 'Partner Viewer' }))
    await system.query(
      `INSERT INTO partner_users (partner_id, user_id, role_id, org_access)
       SELECT $1, $2, id, 'all' FROM roles WHERE is_system AND name = 'Partner Viewer'`,
      [there.partner.id, shared.userId],
    )
    await system.query(`UPDATE partners SET status = 'pending' WHERE id = $1`, [there.partner.id])
    expect(await refusal(call(here.partnerAdmin, protection.resetPassword, { id: shared.userId }))).toMatchObject({
      status: 403,
    })
    expect(await call(here.partnerAdmin, protection.resetMfa, { id: shared.userId })).toMatchObject({ success: true })
    await system.query(`UPDATE partners SET status = 'active' WHERE id = $1`, [there.partner.id])
  })

  it('a handed reset makes the address unproven: opening the next mailed link removes the credentials set through it', async () => {
    const tenant = { scope: 'partner', partnerId: here.partner.id } as const
    const who = await withPassword(await person(tenant, { role: 'Partner Technician', mfaEnabled: false }))
    const { resetUrl } = await call(here.partnerAdmin, protection.resetPassword, { id: who.userId })
    const administrators = newPassword()
    await call(null, password.reset, { token: tokenOf(resetUrl), newPassword: administrators }, anywhere())
    const posing = await signIn(who.email, administrators)
    expect(await call(posing, session.me, {})).toMatchObject({ partnerId: here.partner.id, emailVerified: false })
    await system.query(
      `INSERT INTO passkeys (user_id, credential_id, public_key, name) VALUES ($1, $2, '\\x00', 'Planted')`,
      [who.userId, randomBytes(16).toString('hex')],
    )
    await invite(who.email, there)
    const owners = newPassword()
    await accept(await tokenMailedTo(who.email), owners)
    expect(await refusal(signIn(who.email, administrators))).toMatchObject({ status: 401 })
    expect(await refusal(call(posing, session.me, {}))).toMatchObject({ status: 401 })
    expect((await system.query('SELECT FROM passkeys WHERE user_id = $1', [who.userId])).rowCount).toBe(0)
    expect(await signIn(who.email, owners)).toMatchObject({ emailVerificationRequired: false })
  })

  it('a promotion of the account invalidates its reset link', async () => {
    const tenant = { scope: 'partner', partnerId: here.partner.id } as const
    const who = await withPassword(await person(tenant, { role: 'Partner Viewer', mfaEnabled: false }))
    const { resetUrl } = await call(here.partnerAdmin, protection.resetPassword, { id: who.userId })
    await call(here.partnerAdmin, users.role, { id: who.userId, roleId: await roleOf('Partner Admin') })
    const used = call(null, password.reset, { token: tokenOf(resetUrl), newPassword: newPassword() }, anywhere())
    expect(await refusal(used)).toMatchObject({ status: 400 })
  })
})
