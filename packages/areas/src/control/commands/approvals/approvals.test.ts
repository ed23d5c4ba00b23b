import { randomUUID } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { mailsTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, signedIn, type World, world } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { roles } from '../../../access/roles/roles.contract.ts'
import { protection } from '../../../access/users/protection/protection.contract.ts'
import { users } from '../../../access/users/users.contract.ts'
import { partners } from '../../../tenancy/tenancy/partners/partners.contract.ts'
import { processes } from '../../system-tools/processes.contract.ts'
import { blastRadius } from '../bulk/blast-radius.ts'
import { commands } from '../commands.contract.ts'
import { approvals } from './approvals.contract.ts'

const { system } = await testServices()
const script = { type: 'run_script', payload: { script: 'uptime', env: { B: '2', A: '1' } } } as const
const signedInLongAgo = (sessionId: string) =>
  system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [sessionId])
const admin = (here: World, role = 'Partner Admin') =>
  person({ scope: 'partner', partnerId: here.partner.id }, { role })
const commandsOf = async (here: World) =>
  (await system.query('SELECT created_by FROM device_commands WHERE partner_id = $1', [here.partner.id])).rows

describe('a command that needs a second person', () => {
  let here: World
  let deviceIds: string[]
  beforeAll(async () => {
    here = await world()
    const place = (orgId: string) => ({ orgId })
    const [one = ''] = await enrolled(here.partnerAdmin, place(here.org.id), 'one')
    const [two = ''] = await enrolled(here.partnerAdmin, place(here.otherOrg.id), 'two')
    deviceIds = [one, two]
    await call(here.partnerAdmin, partners.updateMe, { settings: { secondPerson: true } })
  })
  const asked = async (more: object = {}) => {
    const { approval, commands: sent } = await call(here.partnerAdmin, commands.bulk, { deviceIds, ...script, ...more })
    expect(sent).toEqual([])
    return call(here.partnerAdmin, approvals.get, { id: approval?.id ?? '' })
  }

  it('waits until another person approves it, and is then sent once in the name of the requester', async () => {
    const { id, hash, status, devices } = await asked()
    expect([status, devices]).toEqual(['pending', 2])
    expect(await commandsOf(here)).toEqual([])
    const own = await refusal(call(here.partnerAdmin, approvals.approve, { id, hash }))
    expect(own).toMatchObject({ status: 403, message: expect.stringContaining('Another person') })
    const second = await admin(here)
    expect(await refusal(call(second, approvals.approve, { id, hash: 'another' }))).toMatchObject({ status: 409 })
    const both = await Promise.allSettled([1, 2].map(() => call(second, approvals.approve, { id, hash })))
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await commandsOf(here)).toEqual(deviceIds.map(() => ({ created_by: here.partnerAdmin.userId })))
    const after = await call(second, approvals.get, { id })
    expect(after).toMatchObject({ status: 'approved', decidedBy: second.userId, batchId: expect.any(String) })
    const actions = (await auditOf(id)).map(({ action, actor_id }) => [action, actor_id])
    expect(actions).toEqual([
      ['device.command.request', here.partnerAdmin.userId],
      ['device.command.approve', second.userId],
    ])
  })

  it('is not approved without a recent sign-in, the permission, or reach of all its devices', async () => {
    const { id, hash } = await asked()
    const late = await admin(here)
    await signedInLongAgo(late.sessionId)
    const told = await refusal(call(late, approvals.approve, { id, hash }))
    expect(told).toMatchObject({ status: 403, extra: { confirm: 'currentPassword' } })
    expect(await refusal(call(here.partnerViewer, approvals.approve, { id, hash }))).toMatchObject({ status: 403 })
    expect(await refusal(call(here.orgAdmin, approvals.approve, { id, hash }))).toMatchObject({ status: 404 })
    const stranger = await world()
    const tries = [
      () => call(stranger.partnerAdmin, approvals.get, { id }),
      () => call(stranger.partnerAdmin, approvals.approve, { id, hash }),
      () => call(stranger.partnerAdmin, approvals.refuse, { id }),
    ]
    for (const attempt of tries) expect(await refusal(attempt())).toMatchObject({ status: 404 })
    const { data } = await call(await admin(here), approvals.list, { status: 'pending' })
    expect(data.map((one) => one.id)).toEqual([id])
    await call(here.partnerAdmin, approvals.refuse, { id })
    expect(await call(here.partnerAdmin, approvals.get, { id })).toMatchObject({ status: 'withdrawn' })
  })

  it('is not sent after a rejection, after it expired, or when the requester lost the permission', async () => {
    const second = await admin(here)
    const refused = await asked()
    const no = await call(second, approvals.refuse, { id: refused.id, reason: 'Not on a Friday' })
    expect(no).toMatchObject({ status: 'refused', reason: 'Not on a Friday' })
    const late = await asked()
    await system.query('UPDATE command_approvals SET expires_at = now() WHERE id = $1', [late.id])
    for (const { id, hash } of [refused, late])
      expect(await refusal(call(second, approvals.approve, { id, hash }))).toMatchObject({ status: 409 })
    const leaving = await admin(here)
    const { approval } = await call(leaving, commands.bulk, { deviceIds, ...script })
    const { id, hash } = await call(leaving, approvals.get, { id: approval?.id ?? '' })
    await system.query(`UPDATE partner_users SET status = 'disabled' WHERE user_id = $1`, [leaving.userId])
    expect(await refusal(call(second, approvals.approve, { id, hash }))).toMatchObject({ status: 409 })
  })

  it('can be read and not approved when its hash has a form from before an upgrade', async () => {
    const { id } = await asked()
    const hash = 'a-hash-of-an-earlier-form'
    await system.query('UPDATE command_approvals SET hash = $2 WHERE id = $1', [id, hash])
    expect(await call(here.partnerAdmin, approvals.get, { id })).toMatchObject({ status: 'pending', hash })
    expect(await refusal(call(await admin(here), approvals.approve, { id, hash }))).toMatchObject({
      status: 409,
      message: expect.stringContaining('before an upgrade'),
    })
  })

  it('is requested once, however often the request with its key is repeated', async () => {
    const idempotencyKey = randomUUID()
    const first = await asked({ idempotencyKey })
    expect((await asked({ idempotencyKey })).id).toBe(first.id)
    const other = call(here.partnerAdmin, commands.bulk, { deviceIds, type: 'reboot', idempotencyKey })
    expect(await refusal(other)).toMatchObject({ status: 409 })
    const { commands: sent } = await call(await admin(here), approvals.approve, { id: first.id, hash: first.hash })
    const again = await call(here.partnerAdmin, commands.bulk, { deviceIds, ...script, idempotencyKey })
    expect(again.commands.map(({ id }) => id).sort()).toEqual(sent.map(({ id }) => id).sort())
  })

  it('stays required until a member turns it off after a fresh sign-in', async () => {
    const settings = { secondPerson: false }
    expect(await refusal(call(here.partnerAdmin, partners.updateMe, { settings }))).toMatchObject({ status: 403 })
    const gone = await call(here.partnerAdmin, partners.updateMe, { settings: { secondPerson: null } }).catch(
      () => null,
    )
    expect(gone).toBeNull()
    const late = await admin(here)
    await signedInLongAgo(late.sessionId)
    expect(await refusal(call(late, approvals.require, { required: false }))).toMatchObject({ status: 403 })
    const pending = await call(here.partnerAdmin, approvals.require, { required: false })
    expect(pending).toMatchObject({ required: true, turnOff: { requestedBy: here.partnerAdmin.userId } })
    const inMs = Date.parse(pending.turnOff?.endsAt ?? '') - Date.now()
    expect(inMs / 3_600_000).toBeCloseTo(24, 1)
    for (const { email } of [here.partnerAdmin, late]) {
      expect((await mailsTo(email)).map(({ template }) => template)).toContain('second-person-ends')
    }
    expect(await call(late, approvals.required, {})).toMatchObject({ required: true, turnOff: pending.turnOff })
    expect(await call(here.partnerAdmin, approvals.require, { required: false })).toEqual(pending)
    expect(await call(here.partnerAdmin, approvals.require, { required: true })).toMatchObject({ turnOff: null })
    await call(here.partnerAdmin, approvals.require, { required: false })
    const agreed = await call(await admin(here), approvals.require, { required: false })
    expect(agreed).toMatchObject({ required: false, turnOff: null })
    expect(await call(here.partnerAdmin, partners.me, {})).toMatchObject({ settings: { secondPerson: false } })
    const { commands: sent, approval } = await call(here.partnerAdmin, commands.bulk, { deviceIds, ...script })
    expect([sent.length, approval]).toEqual([2, null])
  })
})

const reading = { resource: 'devices', action: 'read' } as const

describe('a second person', () => {
  it('is turned off without another one after a day', async () => {
    const here = await world()
    await call(here.partnerAdmin, approvals.require, { required: true })
    await call(here.partnerAdmin, approvals.require, { required: false })
    const forged = { secondPersonEnds: { endsAt: '2020-01-01T00:00:00Z' } }
    await call(here.partnerAdmin, partners.updateMe, { settings: forged })
    expect(await call(here.partnerAdmin, approvals.required, {})).toMatchObject({ required: true })
    await system.query(
      `UPDATE partners SET settings = jsonb_set(settings, '{secondPersonEnds,endsAt}', to_jsonb(now())) WHERE id = $1`,
      [here.partner.id],
    )
    expect(await call(here.partnerAdmin, approvals.required, {})).toEqual({ required: false, turnOff: null })
  })

  it('has been a member for seven days, and was neither invited nor promoted by the first one', async () => {
    const here = await world()
    const tenant = { scope: 'partner', partnerId: here.partner.id } as const
    const [one = ''] = await enrolled(here.partnerAdmin, { orgId: here.org.id }, 'one')
    const [two = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'two')
    await call(here.partnerAdmin, approvals.require, { required: true })
    const { approval } = await call(here.partnerAdmin, commands.bulk, { deviceIds: [one, two], ...script })
    const { id, hash } = await call(here.partnerAdmin, approvals.get, { id: approval?.id ?? '' })
    const attempt = (who: { token: string }) => refusal(call(who, approvals.approve, { id, hash }))
    const recent = await person(tenant, { role: 'Partner Admin', memberForDays: 6 })
    expect(await attempt(recent)).toMatchObject({ status: 403, message: expect.stringContaining('7 days') })
    const promoted = await person(tenant, { role: 'Partner Viewer' })
    const { rows } = await system.query<{ id: string }>(
      `SELECT id FROM roles WHERE is_system AND name = 'Partner Admin'`,
    )
    const given = { id: promoted.userId, roleId: rows[0]?.id ?? '' }
    await call(here.partnerAdmin, users.role, given)
    expect(await attempt(promoted)).toMatchObject({
      status: 403,
      message: expect.stringContaining('gave you your role'),
    })
    await system.query(`UPDATE partner_users SET granted_by = NULL WHERE user_id = $1`, [promoted.userId])
    expect(await attempt(promoted)).toMatchObject({ status: 403, message: expect.stringContaining('7 days') })
    const widened = await call(here.partnerAdmin, roles.create, { name: `Wide ${id}`, permissions: [reading] })
    const member = await person(tenant, { role: 'Partner Viewer' })
    await system.query(`UPDATE partner_users SET role_id = $2, granted_at = NULL WHERE user_id = $1`, [
      member.userId,
      widened.id,
    ])
    const permissions = [
      reading,
      { resource: 'scripts', action: 'execute' } as const,
      { resource: 'devices', action: 'execute' } as const,
    ]
    await call(here.partnerAdmin, roles.update, { id: widened.id, permissions })
    expect(await attempt(member)).toMatchObject({ status: 403, message: expect.stringContaining('gave you your role') })
    const invited = await person(tenant, { role: 'Partner Admin' })
    await system.query('UPDATE partner_users SET invited_by = $2 WHERE user_id = $1', [
      invited.userId,
      here.partnerAdmin.userId,
    ])
    expect(await attempt(invited)).toMatchObject({ status: 403, message: expect.stringContaining('invited you') })
    const reset = await person(tenant, { role: 'Partner Admin', memberForDays: 8 })
    await call(here.partnerAdmin, protection.resetMfa, { id: reset.userId })
    await system.query('UPDATE users SET mfa_enabled = true WHERE id = $1', [reset.userId])
    expect(await attempt(await signedIn(reset.userId, tenant))).toMatchObject({
      status: 403,
      message: expect.stringContaining('reset your sign-in'),
    })
    const long = await person(tenant, { role: 'Partner Admin', memberForDays: 8 })
    expect((await call(long, approvals.approve, { id, hash })).commands).toHaveLength(2)
  })
})

describe('the blast radius of one account', () => {
  it('lets an organization see and decide what a user of its partner requests for its devices', async () => {
    const here = await world()
    const names = Array.from({ length: blastRadius.devices + 1 }, (_, index) => `own-${index}`)
    const deviceIds = await enrolled(here.partnerAdmin, { orgId: here.org.id }, ...names)
    await call(here.partnerAdmin, approvals.require, { required: true })
    const { approval } = await call(here.partnerAdmin, commands.bulk, { deviceIds, ...script })
    const listed = await call(here.orgAdmin, approvals.list, {})
    expect(listed.data).toMatchObject([{ id: approval?.id, devices: deviceIds.length, requestedByEmail: null }])
    const { id, hash } = await call(here.orgAdmin, approvals.get, { id: approval?.id ?? '' })
    expect((await call(here.orgAdmin, approvals.approve, { id, hash })).commands).toHaveLength(deviceIds.length)
  })

  it('counts devices of system tools and of commands together, also of concurrent requests', async () => {
    const here = await world()
    const names = Array.from({ length: blastRadius.devices + 1 }, (_, index) => `tool-${index}`)
    const deviceIds = await enrolled(here.orgAdmin, { orgId: here.org.id }, ...names)
    const late = await person(
      { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id },
      { role: 'Org Admin' },
    )
    await signedInLongAgo(late.sessionId)
    const [first = '', second = '', third = '', ...others] = deviceIds
    const kill = (deviceId: string) => refusal(call(late, processes.kill, { deviceId, pid: 4_194_304 }))
    await call(late, commands.bulk, { deviceIds: others, ...script })
    const codes = await Promise.all([first, second, third].map(async (id) => (await kill(id)).code))
    expect(codes.sort()).toEqual(['DEVICE_OFFLINE', 'DEVICE_OFFLINE', 'FORBIDDEN'])
    expect(await refusal(call(late, processes.list, { deviceId: second }))).toMatchObject({ code: 'DEVICE_OFFLINE' })
  })
})
