import { randomBytes } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { mailsTo, tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { organizations } from '../../../tenancy/tenancy/organizations/organizations.contract.ts'
import { session } from '../../auth/sign-in/session.contract.ts'
import { roles } from '../../roles/roles.contract.ts'
import { users } from '../users.contract.ts'
import { invitations } from './invitations.contract.ts'

const here = await world()
const elsewhere = await world()
const { system } = await testServices()
const admin = here.partnerAdmin
const password = 'correct horse battery 42'
const address = () => `${randomBytes(6).toString('hex')}@example.test`
const roleOf = async (name: string, who = admin, named: { orgId?: string; partnerId?: string } = {}) =>
  (await call(who, users.roles, named)).data.find((role) => role.name === name)?.id ?? ''
const viewer = await roleOf('Partner Viewer')
const orgViewer = await roleOf('Org Viewer', here.orgAdmin)
const invite = (more: object = {}, who = admin) =>
  call(who, invitations.invite, {
    email: address(),
    name: 'Guest',
    roleId: who === here.orgAdmin ? orgViewer : viewer,
    ...more,
  })

let origins = 0
/** Uses another client address for each acceptance, because acceptances are limited by address. */
const accept = (input: { token: string; password: string; name?: string }) =>
  call(null, invitations.acceptInvite, input, { ip: `10.9.${Math.floor(++origins / 250)}.${origins % 250}` })

describe('inviting a user', () => {
  it('creates an invited member, enqueues the mail and writes an audit record', async () => {
    const email = address()
    const member = await invite({ email: email.toUpperCase() })
    expect(member).toMatchObject({
      email,
      name: 'Guest',
      status: 'invited',
      scope: 'partner',
      partnerId: here.partner.id,
      roleName: 'Partner Viewer',
      orgAccess: 'all',
    })
    expect(await mailsTo(email)).toMatchObject([
      {
        template: 'invitation',
        partner_id: here.partner.id,
        data: { tenant: here.partner.name, invitedBy: admin.email, name: 'Guest' },
      },
    ])
    expect(await auditOf(member.id)).toMatchObject([{ action: 'user.invite', partner_id: here.partner.id }])
    expect(await refusal(call(null, session.login, { email, password }))).toMatchObject({ status: 401 })
  })

  it('returns 409 User already exists in this scope for an invited or active member', async () => {
    const { email } = await invite()
    for (const known of [email, here.partnerViewer.email]) {
      expect(await refusal(invite({ email: known }))).toMatchObject({
        status: 409,
        message: 'User already exists in this scope',
      })
    }
    expect(await mailsTo(email)).toHaveLength(1)
  })

  it('creates one member when two requests arrive at the same time', async () => {
    const email = address()
    const outcomes = await Promise.allSettled([invite({ email }), invite({ email })])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('does not reveal whether the address has an account in another tenant', async () => {
    const known = await invite({ email: elsewhere.partnerViewer.email })
    const unknown = await invite()
    const shape = ({ id: _, email: __, createdAt: ___, updatedAt: ____, ...rest }: typeof known) => rest
    expect(shape(known)).toEqual(shape(unknown))
    expect(await call(elsewhere.partnerAdmin, users.get, { id: elsewhere.partnerViewer.userId })).toMatchObject({
      status: 'active',
    })
  })

  it('limits an organization member to the given sites, and sets no limit when they are left out', async () => {
    const limited = await invite({ siteIds: [here.site.id] }, here.orgAdmin)
    expect(limited).toMatchObject({
      scope: 'organization',
      orgId: here.org.id,
      siteIds: [here.site.id],
      deviceGroupIds: null,
    })
    expect(await invite({}, here.orgAdmin)).toMatchObject({ siteIds: null, deviceGroupIds: null })
    const foreign = invite({ siteIds: [elsewhere.site.id] }, here.orgAdmin)
    expect(await refusal(foreign)).toMatchObject({ status: 404, message: 'Site not found' })
    expect(await refusal(invite({ siteIds: [here.site.id] }))).toMatchObject({ status: 400 })
  })

  it('lets a partner invite into its organizations, and system scope into any organization', async () => {
    expect(await invite({ orgId: here.otherOrg.id, roleId: orgViewer })).toMatchObject({ orgId: here.otherOrg.id })
    expect(await refusal(invite({ orgId: elsewhere.org.id, roleId: orgViewer }))).toMatchObject({ status: 404 })
    expect(await refusal(invite({}, here.systemAdmin))).toMatchObject({
      status: 403,
      message: 'Partner or organization context',
    })
    expect(await invite({ partnerId: here.partner.id }, here.systemAdmin)).toMatchObject({ partnerId: here.partner.id })
  })

  it('returns 403 for a role that allows more than the inviter may do', async () => {
    const { id } = await call(admin, roles.create, {
      name: 'Invites',
      permissions: [
        { resource: 'users', action: 'invite' },
        { resource: 'users', action: 'read' },
      ],
    })
    const inviter = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Viewer' })
    await call(admin, users.role, { id: inviter.userId, roleId: id })
    expect(await invite({ roleId: id }, inviter)).toMatchObject({ status: 'invited' })
    expect(await refusal(invite({ roleId: await roleOf('Partner Admin') }, inviter))).toMatchObject({ status: 403 })
  })

  it('requires users:invite, and of partner users access to all organizations', async () => {
    expect(await refusal(invite({}, here.partnerViewer))).toMatchObject({ status: 403 })
    const selected = await person(
      { scope: 'partner', partnerId: here.partner.id },
      { role: 'Partner Admin', orgAccess: 'selected', orgIds: [here.org.id] },
    )
    for (const more of [{}, { orgId: here.org.id, roleId: orgViewer }]) {
      expect(await refusal(invite(more, selected))).toMatchObject({
        status: 403,
        message: 'Full partner organization access required',
      })
    }
  })

  it.each([{ email: 'not-an-address' }, { email: `${'x'.repeat(250)}@a.test` }, { name: '' }, { roleId: 'x' }])(
    'refuses %j',
    async (wrong) => {
      expect(await refusal(invite(wrong))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    },
  )

  it('is rejected for a suspended organization', async () => {
    const there = await world()
    await call(there.partnerAdmin, organizations.update, { id: there.org.id, status: 'suspended' })
    const error = await refusal(invite({ orgId: there.org.id, roleId: orgViewer }, there.partnerAdmin))
    expect(error).toMatchObject({ status: 403, message: 'Organization is suspended' })
  })
})

describe('accepting an invitation', () => {
  it('sets name and password, activates the member, and works once', async () => {
    const { id, email } = await invite()
    const token = await tokenMailedTo(email)
    expect(await accept({ token, password, name: 'Grace' })).toEqual({ success: true, email })
    expect(await call(admin, users.get, { id })).toMatchObject({ status: 'active', name: 'Grace' })
    const actions = (await auditOf(id)).map(({ action }) => action)
    expect(actions.sort()).toEqual(['user.email.verify', 'user.invite', 'user.invite.accept'])
    const signedIn = await call(null, session.login, { email, password })
    expect(signedIn).toMatchObject({ user: { id, partnerId: here.partner.id } })
    expect(await refusal(accept({ token, password }))).toMatchObject({ status: 400 })
  })

  it('succeeds once when two requests arrive at the same time', async () => {
    const { email } = await invite()
    const token = await tokenMailedTo(email)
    const outcomes = await Promise.allSettled([accept({ token, password }), accept({ token, password })])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('rejects a weak password and keeps the invitation', async () => {
    const { email } = await invite()
    const token = await tokenMailedTo(email)
    for (const weak of ['short', 'password1']) {
      expect(await refusal(accept({ token, password: weak }))).toMatchObject({ status: 400 })
    }
    expect(await accept({ token, password })).toMatchObject({ success: true })
  })

  it('fails after seven days, after a newer invitation, and when the member is disabled or removed', async () => {
    const late = await invite()
    await system.query(`UPDATE user_invitations SET expires_at = now() - interval '1 second' WHERE user_id = $1`, [
      late.id,
    ])
    const replaced = await invite()
    const old = await tokenMailedTo(replaced.email)
    await call(admin, invitations.resendInvite, { userId: replaced.id })
    const disabled = await invite()
    await call(admin, users.update, { id: disabled.id, status: 'disabled' })
    const removed = await invite()
    await call(admin, users.remove, { id: removed.id })
    const tokens = [
      await tokenMailedTo(late.email),
      old,
      await tokenMailedTo(disabled.email),
      await tokenMailedTo(removed.email),
      'nonsense',
    ]
    for (const token of tokens) {
      expect(await refusal(accept({ token, password }))).toMatchObject({
        status: 400,
        message: 'This invitation is no longer valid. Ask for a new one',
      })
    }
    expect(await accept({ token: await tokenMailedTo(replaced.email), password })).toMatchObject({ success: true })
  })

  it('requires the existing password of a person who signs in to another tenant, and keeps that account unchanged', async () => {
    const first = await invite({ name: 'Grace' }, elsewhere.partnerAdmin)
    await accept({ token: await tokenMailedTo(first.email), password, name: 'Grace' })
    await invite({ email: first.email, name: 'Contractor' })
    const token = await tokenMailedTo(first.email)
    const wrong = accept({ token, password: 'another good password 7', name: 'Mallory' })
    expect(await refusal(wrong)).toMatchObject({ status: 401 })
    expect(await accept({ token, password, name: 'Mallory' })).toMatchObject({ success: true })
    expect(await call(admin, users.get, { id: first.id })).toMatchObject({ name: 'Contractor', status: 'active' })
    expect(await call(elsewhere.partnerAdmin, users.get, { id: first.id })).toMatchObject({ name: 'Grace' })
  })

  it('works again for a person who was removed and invited again', async () => {
    const { id, email } = await invite()
    await accept({ token: await tokenMailedTo(email), password })
    await call(admin, users.remove, { id })
    expect(await refusal(call(null, session.login, { email, password }))).toMatchObject({ status: expect.any(Number) })
    expect(await invite({ email })).toMatchObject({ id, status: 'invited' })
    await accept({ token: await tokenMailedTo(email), password: 'yet another good one 9' })
    expect(await call(null, session.login, { email, password: 'yet another good one 9' })).toMatchObject({
      user: { id },
    })
  })
})

describe('resending an invitation', () => {
  it('works only for users who are still invited', async () => {
    const { id, email } = await invite()
    expect(await call(admin, invitations.resendInvite, { userId: id })).toEqual({ success: true })
    expect(await mailsTo(email)).toHaveLength(2)
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(['user.invite', 'user.invite.resend'])
    const active = { userId: here.partnerViewer.userId }
    expect(await refusal(call(admin, invitations.resendInvite, active))).toMatchObject({ status: 400 })
    const foreign = { userId: elsewhere.partnerViewer.userId }
    expect(await refusal(call(elsewhere.orgAdmin, invitations.resendInvite, foreign))).toMatchObject({ status: 404 })
  })

  it('returns a disabled member who never accepted to the status invited when enabled', async () => {
    const { id, email } = await invite()
    await call(admin, users.update, { id, status: 'disabled' })
    expect(await call(admin, users.update, { id, status: 'active' })).toMatchObject({ status: 'invited' })
    await call(admin, invitations.resendInvite, { userId: id })
    expect(await accept({ token: await tokenMailedTo(email), password })).toMatchObject({ success: true })
  })
})
