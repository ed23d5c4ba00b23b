import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { newPassword, ownAddress, withPassword } from '@muster/testkit/credentials.ts'
import { tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { groups } from '../../../fleet/groups/groups.contract.ts'
import { keys } from '../../api-keys/keys.contract.ts'
import { password } from '../../auth/sign-in/password.contract.ts'
import { session } from '../../auth/sign-in/session.contract.ts'
import { roles } from '../../roles/roles.contract.ts'
import { invitations } from '../invitations/invitations.contract.ts'
import { users } from '../users.contract.ts'
import { protection } from './protection.contract.ts'

const here = await world()
const elsewhere = await world()
const admin = here.partnerAdmin
const { system } = await testServices()
const partnerTenant = { scope: 'partner', partnerId: here.partner.id } as const
const orgTenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
const member = (role = 'Partner Viewer') => person(partnerTenant, { role })
const notManager = {
  status: 403,
  message: 'Only an administrator who manages everything that this account can access can do that',
}

async function alsoElsewhere({ userId }: Person, role = 'Partner Viewer') {
  await system.query(
    `INSERT INTO partner_users (partner_id, user_id, role_id, org_access)
     SELECT $1, $2, id, 'all' FROM roles WHERE is_system AND name = $3`,
    [elsewhere.partner.id, userId, role],
  )
}
const signIn = (who: Person, given: string) =>
  call(null, session.login, { email: who.email, password: given }, { ip: ownAddress() })
const auditFor = async ({ userId }: Person, action: string) =>
  (await auditOf(userId)).filter((record) => record.action === action)
const factorsOf = async ({ userId }: Person) =>
  (
    await system.query(
      `SELECT mfa_enabled, mfa_method, mfa_secret, mfa_recovery_codes, phone_number, phone_verified,
        (SELECT count(*)::int FROM passkeys p WHERE p.user_id = users.id) AS passkeys FROM users WHERE id = $1`,
      [userId],
    )
  ).rows[0]

describe('a reset of second factors', () => {
  it('removes all factors, ends sessions and API keys, mails the person and writes an audit record', async () => {
    const who = await person(partnerTenant, { role: 'Partner Admin' })
    const { password: secret } = await withPassword(who)
    const { key } = await call(who, keys.create, { name: 'Script', scopes: ['devices:read'] })
    await system.query(
      `UPDATE users SET mfa_method = 'totp', mfa_secret = 'sealed', mfa_recovery_codes = '["one"]', phone_number = '+4912345678',
         phone_verified = true WHERE id = $1`,
      [who.userId],
    )
    await system.query(
      `INSERT INTO passkeys (user_id, credential_id, public_key, name) VALUES ($1, $2, '\\x00', 'Laptop')`,
      [who.userId, `credential-${who.userId}`],
    )
    expect(await call(admin, protection.resetMfa, { id: who.userId })).toEqual({
      success: true,
      sessions: 1,
      apiKeys: 1,
    })
    expect(await factorsOf(who)).toEqual({
      mfa_enabled: false,
      mfa_method: null,
      mfa_secret: null,
      mfa_recovery_codes: [],
      phone_number: null,
      phone_verified: false,
      passkeys: 0,
    })
    expect(await refusal(call(who, session.me, {}))).toMatchObject({ status: 401 })
    expect(await refusal(call(null, groups.list, {}, { headers: { 'x-api-key': key } }))).toMatchObject({ status: 401 })
    expect(await signIn(who, secret)).toMatchObject({ mfaRequired: false })
    expect(await auditFor(who, 'auth.mfa.reset')).toMatchObject([
      { actor_id: admin.userId, partner_id: here.partner.id, details: { method: 'totp', passkeys: 1, sessions: 1 } },
    ])
    const { rows } = await system.query('SELECT template, data FROM mail_outbox WHERE to_address = $1', [who.email])
    expect(rows).toMatchObject([
      { template: 'notice', data: { what: 'Your two-step sign-in was reset by an administrator' } },
    ])
  })

  it('is rejected unless the caller manages everything that the account can access', async () => {
    const shared = await member()
    await alsoElsewhere(shared)
    expect(await refusal(call(admin, protection.resetMfa, { id: shared.userId }))).toMatchObject(notManager)
    // A role that can change users but has fewer permissions than an administrator.
    const { id: roleId } = await call(admin, roles.create, {
      name: 'Help desk',
      permissions: [
        { resource: 'users', action: 'read' },
        { resource: 'users', action: 'write' },
      ],
    })
    const helper = await member()
    await call(admin, users.role, { id: helper.userId, roleId })
    for (const reset of [protection.resetMfa, protection.resetPassword]) {
      expect(await refusal(call(helper, reset, { id: admin.userId }))).toMatchObject(notManager)
    }
    const both = await person(orgTenant, { role: 'Org Viewer' })
    await system.query(
      `INSERT INTO partner_users (partner_id, user_id, role_id, org_access)
       SELECT $1, $2, id, 'all' FROM roles WHERE is_system AND name = 'Partner Viewer'`,
      [here.partner.id, both.userId],
    )
    expect(await refusal(call(here.orgAdmin, protection.resetMfa, { id: both.userId }))).toMatchObject(notManager)
    expect(await call(admin, protection.resetMfa, { id: both.userId })).toMatchObject({ success: true })
    expect(
      await call(here.systemAdmin, protection.resetMfa, { id: shared.userId, partnerId: here.partner.id }),
    ).toMatchObject({ success: true })
  })

  it('is rejected for one’s own account and returns 404 for members of other tenants', async () => {
    expect(await refusal(call(admin, protection.resetMfa, { id: admin.userId }))).toMatchObject({ status: 400 })
    for (const one of Object.values(protection)) {
      expect(await refusal(call(admin, one, { id: elsewhere.partnerAdmin.userId }))).toMatchObject({ status: 404 })
      expect(await refusal(call(here.orgAdmin, one, { id: admin.userId }))).toMatchObject({ status: 404 })
    }
    const limited = await person(partnerTenant, { role: 'Partner Admin', orgAccess: 'none' })
    expect(await refusal(call(limited, protection.resetMfa, { id: admin.userId }))).toMatchObject({
      status: 403,
      message: 'Full partner organization access required',
    })
  })
})

describe('a reset of the password by an administrator', () => {
  it('makes the old password invalid, ends sessions, and mails a link that sets a new one', async () => {
    const who = await person(partnerTenant, { role: 'Partner Technician', mfaEnabled: false })
    const { password: old } = await withPassword(who)
    expect(await call(admin, protection.resetPassword, { id: who.userId })).toMatchObject({
      success: true,
      sessions: 1,
    })
    expect(await refusal(call(who, session.me, {}))).toMatchObject({ status: 401 })
    expect(await refusal(signIn(who, old))).toMatchObject({ status: 401 })
    const newOne = newPassword()
    const token = await tokenMailedTo(who.email)
    await call(null, password.reset, { token, newPassword: newOne }, { ip: ownAddress() })
    expect(await signIn(who, newOne)).toMatchObject({ mfaRequired: false })
    expect(await auditFor(who, 'user.password.reset')).toHaveLength(1)
  })

  it('returns 400 for an account without a password', async () => {
    const provided = await member()
    expect(await refusal(call(admin, protection.resetPassword, { id: provided.userId }))).toMatchObject({
      status: 400,
      message: 'This account signs in without a password, so there is none to reset',
    })
  })
})

describe('an administrator who ends sessions', () => {
  it('ends all sessions of a member, and only those in the own tenant of a member shared with another', async () => {
    const who = await member()
    expect(await call(admin, protection.endSessions, { id: who.userId })).toEqual({ success: true, sessions: 1 })
    expect(await refusal(call(who, session.me, {}))).toMatchObject({ status: 401 })
    expect(await auditFor(who, 'user.session.revoke')).toMatchObject([{ details: { sessions: 1 } }])

    const shared = await person({ scope: 'partner', partnerId: elsewhere.partner.id }, { role: 'Partner Viewer' })
    await system.query(
      `INSERT INTO partner_users (partner_id, user_id, role_id, org_access)
       SELECT $1, $2, id, 'all' FROM roles WHERE is_system AND name = 'Partner Viewer'`,
      [here.partner.id, shared.userId],
    )
    await system.query(`UPDATE sessions SET scope = 'partner', partner_id = $2 WHERE user_id = $1`, [
      shared.userId,
      elsewhere.partner.id,
    ])
    expect(await call(admin, protection.endSessions, { id: shared.userId })).toEqual({ success: true, sessions: 0 })
    expect(await call(shared, session.me, {})).toMatchObject({ id: shared.userId })
  })
})

describe('API keys of a removed member', () => {
  it('stay revoked when the person is invited again', async () => {
    const who = await person(partnerTenant, { role: 'Partner Admin' })
    await withPassword(who)
    await alsoElsewhere(who)
    const { key } = await call(who, keys.create, { name: 'Script', scopes: ['devices:read'] })
    const use = () => call(null, groups.list, {}, { headers: { 'x-api-key': key } })
    await use()
    const { roleId } = await call(admin, users.get, { id: who.userId })
    await call(admin, users.remove, { id: who.userId })
    expect(await refusal(use())).toMatchObject({ status: 401 })
    await call(admin, invitations.invite, { email: who.email, name: 'Again', roleId })
    await system.query(`UPDATE partner_users SET status = 'active', accepted_at = now() WHERE user_id = $1`, [
      who.userId,
    ])
    expect(await refusal(use())).toMatchObject({ status: 401 })
  })
})
