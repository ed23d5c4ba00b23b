import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { auditedWhen, can, create } from '@muster/kit/contract.ts'
import { run } from '@muster/kit/operation/run.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal, requestAs } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { type Person, person, type World, world } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { keys } from '../../../access/api-keys/keys.contract.ts'
import { roles } from '../../../access/roles/roles.contract.ts'
import type { AskedPlan } from '../../../background/asked-plan.ts'
import { planKind } from '../../../background/plan-kind.ts'
import type { Operation } from '../../../operation.ts'
import { createRuntime } from '../../../runtime.ts'
import { partners } from '../../../tenancy/tenancy/partners/partners.contract.ts'
import { lifecycle } from '../../lifecycle/lifecycle.contract.ts'
import { approvals } from '../approvals/approvals.contract.ts'
import { commands, farReach } from '../commands.contract.ts'
import { judgePlan, ownerMay, ownerOf, type PlanVerdict, withdrawPlan } from '../index.ts'
import { endExpiredPlans } from './expired-plans.jobs.ts'
import type { Plan } from './plan.ts'

const services = await testServices()
const { system } = services

/** Objects of a kind of plan, as an area would have them in a table. */
const objects = new Map<string, { state: string; revision: number; plan?: AskedPlan; by?: string }>()
const kind = planKind({
  kind: 'deployment',
  permission: 'devices:write',
  async revisionOf(_db, id) {
    const found = objects.get(id)
    return found?.state === 'awaiting_approval' ? found.revision : null
  },
  async approve({ caller }, plan) {
    Object.assign(objects.get(plan.subject.id) ?? {}, { state: 'running', plan, by: caller.userId })
  },
  async refuse(_db, { subject }, why) {
    Object.assign(objects.get(subject.id) ?? {}, { state: `ready after ${why}` })
    return []
  },
})
const planKinds = [kind]
const runtime = createRuntime({ ...services, planKinds, core: { ...services.core, planKinds } })
const here = { runtime }
const parts = { ...(await testWorkerParts()), planKinds }

const endpoint = create('/devices/test-plans', {
  summary: 'Start a plan',
  access: can('devices:read'),
  audit: auditedWhen('a second person is asked', 'device.command.request'),
  stepUp: farReach,
  input: z.object({}),
  output: z.unknown(),
})
/** Does something as a person, through every step of a request. */
async function act<T>(
  who: Pick<Person, 'token'> | string,
  work: (call: Parameters<typeof judgePlan>[0]) => Promise<T>,
) {
  let result: T | undefined
  const handle: Operation['handle'] = async (given) => {
    result = await work(given)
    return null
  }
  const request = typeof who === 'string' ? requestAs(null, { headers: { 'x-api-key': who } }) : requestAs(who)
  const reply = { header() {}, cookie() {} }
  await run({ id: 'devices.plans.start', endpoint, handle, reader: null }, {}, request, reply, runtime)
  return result
}

type Given = Partial<Omit<Plan, 'subject'>> & Pick<Plan, 'reach'> & { readonly id?: string }

/** Judges the start of a plan as its area would. */
async function started(who: Pick<Person, 'token'> | string, { id = randomUUID(), ...plan }: Given) {
  const { revision = 1 } = objects.get(id) ?? {}
  const subject = { kind: 'deployment' as const, id, name: 'Spooler fix', revision }
  const verdict: PlanVerdict | undefined = await act(who, (given) =>
    judgePlan(given, { types: ['reboot'], content: { strategy: 'rings' }, ...plan, subject }),
  )
  const approval = verdict?.state === 'awaiting_approval' ? verdict.approval : undefined
  objects.set(id, { state: approval === undefined ? 'running' : 'awaiting_approval', revision })
  return { id, state: verdict?.state, approval: approval?.id ?? '' }
}

const signedInLongAgo = (sessionId: string) =>
  system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [sessionId])
const admin = (place: World, more: object = {}) =>
  person({ scope: 'partner', partnerId: place.partner.id }, { role: 'Partner Admin', ...more })
const later = (place: World, devices: number, orgIds: string[] | null = [place.org.id]): Plan['reach'] => ({
  ...{ devices, orgIds },
  partnerId: place.partner.id,
})
const confirm = { status: 403, extra: { confirm: 'currentPassword' } }

describe('the start of a plan', () => {
  it('is granted within the limits, and for commands that only look', async () => {
    const place = await world()
    const late = await admin(place)
    await signedInLongAgo(late.sessionId)
    expect(await started(late, { reach: later(place, 100) })).toMatchObject({ state: 'granted' })
    const looking = { reach: later(place, 5_000, null), types: ['refresh_inventory'] as const }
    expect(await started(late, looking)).toMatchObject({ state: 'granted' })
    expect(await started(late, { reach: later(place, 5_000, null), types: [] })).toMatchObject({ state: 'granted' })
  })

  it('takes the permission of each of its commands', async () => {
    const place = await world()
    const given = { reach: later(place, 1), types: ['run_script'] as const }
    expect(await refusal(started(place.partnerViewer, given))).toMatchObject({
      status: 403,
      message: 'Permission denied: scripts:execute is required',
    })
  })

  it('takes a fresh proof above 100 devices, for several organizations and for a whole partner', async () => {
    const place = await world()
    const late = await admin(place)
    await signedInLongAgo(late.sessionId)
    const elsewhere = { id: randomUUID(), orgId: place.otherOrg.id, partnerId: place.partner.id }
    const two = [{ id: randomUUID(), orgId: place.org.id, partnerId: place.partner.id }, elsewhere]
    const wide = [later(place, 101), later(place, 1, null), later(place, 1, [place.org.id, place.otherOrg.id])]
    for (const reach of [...wide, { targets: two }]) {
      expect(await refusal(started(late, { reach }))).toMatchObject(confirm)
      expect(await started(place.partnerAdmin, { reach })).toMatchObject({ state: 'granted' })
    }
  })

  it('is never granted to an API key above the limits', async () => {
    const place = await world()
    const scopes = ['devices:read', 'devices:execute'] as const
    const { key } = await call(place.orgAdmin, keys.create, { name: 'Plans', scopes: [...scopes] })
    expect(await started(key, { reach: later(place, 60) })).toMatchObject({ state: 'granted' })
    const refused = { status: 403, message: expect.stringContaining('API keys do not reach more than 100 devices') }
    expect(await refusal(started(key, { reach: later(place, 60) }))).toMatchObject(refused)
    expect(await refusal(started(key, { reach: later(place, 1, null) }))).toMatchObject(refused)
  })

  it('counts once with the commands and the other plans of the same ten minutes', async () => {
    const place = await world()
    const [device = ''] = await enrolled(place.partnerAdmin, { orgId: place.org.id }, 'counted')
    const late = await admin(place)
    await signedInLongAgo(late.sessionId)
    const { id } = await started(late, { reach: later(place, 60) })
    expect(await started(late, { id, reach: later(place, 100) })).toMatchObject({ state: 'granted' })
    expect(await refusal(started(late, { reach: later(place, 1) }))).toMatchObject(confirm)
    const reboot = { id: device, type: 'reboot' } as const
    expect(await refusal(call(late, commands.create, reboot))).toMatchObject(confirm)
    await system.query(`UPDATE plan_reach SET at = now() - interval '11 minutes' WHERE user_id = $1`, [late.userId])
    await call(late, commands.create, reboot)
    expect(await refusal(started(late, { reach: later(place, 100) }))).toMatchObject(confirm)
    expect(await started(late, { reach: later(place, 99) })).toMatchObject({ state: 'granted' })
    const { rows } = await system.query('SELECT devices FROM plan_reach WHERE user_id = $1', [late.userId])
    expect(rows, 'earlier plans are forgotten').toEqual([{ devices: 99 }])
  })
})

describe('a plan that needs a second person', () => {
  let place: World
  let second: Person
  let deviceIds: string[]
  beforeAll(async () => {
    place = await world()
    second = await admin(place)
    const [one = ''] = await enrolled(place.partnerAdmin, { orgId: place.org.id }, 'one')
    const [two = ''] = await enrolled(place.partnerAdmin, { orgId: place.otherOrg.id }, 'two')
    deviceIds = [one, two]
    await call(place.partnerAdmin, partners.updateMe, { settings: { secondPerson: true } })
  })
  const devices = (): Plan['reach'] => ({
    targets: deviceIds.map((id, index) => ({
      ...{ id, partnerId: place.partner.id },
      orgId: index === 0 ? place.org.id : place.otherOrg.id,
    })),
  })
  const asked = async (who: Person = place.partnerAdmin, more: Partial<Given> = {}) => {
    const made = await started(who, { reach: devices(), ...more })
    expect(made.state).toBe('awaiting_approval')
    const shown = await call(who, approvals.get, { id: made.approval }, here)
    return { ...made, shown, approve: { id: made.approval, hash: shown.hash } }
  }

  it('waits with what it does, and starts in the approval, in the name of the requester', async () => {
    const { id, shown, approve } = await asked()
    expect(shown).toMatchObject({
      ...{ type: 'deployment', status: 'pending', devices: 2, payload: { strategy: 'rings' }, timeoutMs: null },
      ...{ deviceIds: [...deviceIds], subject: { kind: 'deployment', id, name: 'Spooler fix', revision: 1 } },
    })
    expect(objects.get(id)).toMatchObject({ state: 'awaiting_approval' })
    expect(await refusal(call(place.partnerAdmin, approvals.approve, approve, here))).toMatchObject({ status: 403 })
    const answer = await call(second, approvals.approve, approve, here)
    expect(answer).toMatchObject({ approval: { status: 'approved', decidedBy: second.userId }, commands: [] })
    const owner = { userId: place.partnerAdmin.userId, place: { scope: 'partner', partnerId: place.partner.id } }
    expect(objects.get(id)).toMatchObject({ state: 'running', by: second.userId, plan: { owner } })
    const actions = (await auditOf(approve.id)).map(({ action, actor_id }) => [action, actor_id])
    expect(actions).toEqual([
      ['device.command.request', place.partnerAdmin.userId],
      ['device.command.approve', second.userId],
    ])
  })

  it('starts once when two people approve it at the same time', async () => {
    const { id, approve } = await asked()
    const third = await admin(place)
    const both = await Promise.allSettled([second, third].map((who) => call(who, approvals.approve, approve, here)))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(objects.get(id)).toMatchObject({ state: 'running' })
  })

  it('does not start after it was changed, nor with another hash than was shown', async () => {
    const { id, approve } = await asked()
    const other = { ...approve, hash: 'another' }
    expect(await refusal(call(second, approvals.approve, other, here))).toMatchObject({ status: 409 })
    Object.assign(objects.get(id) ?? {}, { revision: 2 })
    const changed = { status: 409, message: expect.stringContaining('changed') }
    expect(await refusal(call(second, approvals.approve, approve, here))).toMatchObject(changed)
    Object.assign(objects.get(id) ?? {}, { revision: 1, state: 'canceled' })
    expect(await refusal(call(second, approvals.approve, approve, here))).toMatchObject(changed)
    expect(objects.get(id)).toMatchObject({ state: 'canceled' })
    expect(await call(second, approvals.get, { id: approve.id }, here)).toMatchObject({ status: 'pending' })
  })

  it('cannot be read or approved when its stored content was altered', async () => {
    const { approve } = await asked()
    const altered = `UPDATE command_approvals SET plan = jsonb_set(plan, '{types}', '["shutdown"]') WHERE id = $1`
    await system.query(altered, [approve.id])
    await expect(call(second, approvals.approve, approve, here)).rejects.toThrow('what was asked for')
    await system.query('DELETE FROM command_approvals WHERE id = $1', [approve.id])
  })

  it.each([
    ['refuses', 'refused'],
    ['withdraws', 'withdrawn'],
  ] as const)('goes back to where it was when a person %s it', async (_how, status) => {
    const { id, approve } = await asked()
    const who = status === 'refused' ? second : place.partnerAdmin
    const answer = await call(who, approvals.refuse, { id: approve.id, reason: 'Not on a Friday' }, here)
    expect(answer).toMatchObject({ status, reason: 'Not on a Friday' })
    expect(objects.get(id)).toMatchObject({ state: `ready after ${status}` })
    expect(await refusal(call(second, approvals.approve, approve, here))).toMatchObject({ status: 409 })
  })

  it('goes back to where it was when its request expires', async () => {
    const { id, approve } = await asked()
    const open = await asked()
    await system.query('UPDATE command_approvals SET expires_at = now() WHERE id = $1', [approve.id])
    expect(await refusal(call(second, approvals.approve, approve, here))).toMatchObject({ status: 409 })
    await Promise.all([endExpiredPlans(parts), endExpiredPlans(parts)])
    expect(objects.get(id)).toMatchObject({ state: 'ready after expired' })
    expect(await call(second, approvals.get, { id: approve.id }, here)).toMatchObject({ status: 'expired' })
    expect((await auditOf(approve.id)).map(({ action, actor_type }) => [action, actor_type])).toEqual([
      ['device.command.request', 'user'],
      ['device.command.expire', 'system'],
    ])
    expect(objects.get(open.id)).toMatchObject({ state: 'awaiting_approval' })
  })

  it('does not start when the requester lost the permission or the reach', async () => {
    const leaving = await admin(place)
    const first = await asked(leaving)
    await system.query(`UPDATE partner_users SET org_access = 'selected', org_ids = $2 WHERE user_id = $1`, [
      leaving.userId,
      [place.org.id],
    ])
    const lost = { status: 409, message: expect.stringContaining('no longer has permission') }
    expect(await refusal(call(second, approvals.approve, first.approve, here))).toMatchObject(lost)
    const gone = await admin(place)
    const other = await asked(gone)
    await system.query(`UPDATE partner_users SET status = 'disabled' WHERE user_id = $1`, [gone.userId])
    expect(await refusal(call(second, approvals.approve, other.approve, here))).toMatchObject(lost)
    expect(objects.get(other.id)).toMatchObject({ state: 'awaiting_approval' })
  })

  it('is approved only by people with its permissions and reach, also of devices that are found later', async () => {
    const whole = await asked(place.partnerAdmin, { reach: later(place, 10, null) })
    expect(whole.shown).toMatchObject({ devices: 10, deviceIds: [] })
    const selected = await admin(place, { orgAccess: 'selected', orgIds: [place.org.id, place.otherOrg.id] })
    for (const who of [place.orgAdmin, selected, (await world()).partnerAdmin])
      expect(await refusal(call(who, approvals.approve, whole.approve, here))).toMatchObject({ status: 404 })
    const viewer = call(place.partnerViewer, approvals.approve, whole.approve, here)
    expect(await refusal(viewer)).toMatchObject({ status: 403 })
    const read = { resource: 'devices', action: 'read' } as const
    const permissions = [read, { resource: 'devices', action: 'execute' } as const]
    const role = await call(place.partnerAdmin, roles.create, { name: 'Restarts', permissions })
    const lesser = await admin(place)
    await system.query('UPDATE partner_users SET role_id = $2 WHERE user_id = $1', [lesser.userId, role.id])
    await system.query('UPDATE partner_users SET granted_at = NULL WHERE user_id = $1', [lesser.userId])
    expect(await call(lesser, approvals.get, { id: whole.approval }, here)).toMatchObject({ payload: null })
    expect(await refusal(call(lesser, approvals.approve, whole.approve, here))).toMatchObject({
      status: 403,
      message: 'Permission denied: devices:write is required',
    })
    const one = await asked(place.partnerAdmin, { reach: later(place, 101) })
    const limited = await person(
      { scope: 'organization', partnerId: place.partner.id, orgId: place.org.id },
      { role: 'Org Admin', siteIds: [place.site.id] },
    )
    expect(await refusal(call(limited, approvals.get, { id: one.approval }, here))).toMatchObject({ status: 404 })
    await call(place.orgAdmin, approvals.approve, one.approve, here)
    expect(objects.get(one.id)).toMatchObject({ state: 'running', by: place.orgAdmin.userId })
  })

  it('is withdrawn by a later request for the same object, and when the object is changed', async () => {
    const first = await asked()
    const again = await asked(place.partnerAdmin, { id: first.id })
    const status = async (id: string) => (await call(second, approvals.get, { id }, here)).status
    expect([await status(first.approval), await status(again.approval)]).toEqual(['withdrawn', 'pending'])
    const subject = { kind: 'deployment', id: first.id } as const
    await act(place.partnerAdmin, (given) => withdrawPlan(given, subject, 'The deployment was canceled'))
    expect(await call(second, approvals.get, { id: again.approval }, here)).toMatchObject({
      ...{ status: 'withdrawn', reason: 'The deployment was canceled', decidedBy: place.partnerAdmin.userId },
    })
    expect(objects.get(first.id)).toMatchObject({ state: 'awaiting_approval' })
  })

  it('is withdrawn when one of its devices moves to another organization', async () => {
    const [moving = ''] = await enrolled(place.partnerAdmin, { orgId: place.org.id }, 'moving')
    const targets = [moving, ...deviceIds].map((id) => ({ id, orgId: randomUUID(), partnerId: place.partner.id }))
    const { id, approval } = await asked(place.partnerAdmin, { reach: { targets } })
    await call(place.partnerAdmin, lifecycle.moveOrg, { id: moving, orgId: place.otherOrg.id }, here)
    expect(objects.get(id)).toMatchObject({ state: 'ready after withdrawn' })
    expect(await call(second, approvals.get, { id: approval }, here)).toMatchObject({ status: 'withdrawn' })
  })
})

describe('the owner of a plan', () => {
  it('is who started it, with the place in which the person acts', async () => {
    const place = await world()
    const owner = await act(place.orgAdmin, async ({ caller }) => ownerOf(caller))
    const { id: orgId, partnerId } = { ...place.org, partnerId: place.partner.id }
    expect(owner).toEqual({ userId: place.orgAdmin.userId, place: { scope: 'organization', partnerId, orgId } })
  })

  it('may go on while the account, the membership, the permissions and the reach last', async () => {
    const place = await world()
    const [device = ''] = await enrolled(place.partnerAdmin, { orgId: place.org.id }, 'owned')
    const who = await admin(place)
    const partnerId = place.partner.id
    const owner = { userId: who.userId, place: { scope: 'partner' as const, partnerId, orgId: null } }
    const may = (...[permissions, reach]: [Parameters<typeof ownerMay>[2], Parameters<typeof ownerMay>[3]]) =>
      asSystem(system, (db) => ownerMay(db, owner, permissions, reach))
    const all = { partnerId, orgIds: null }
    const both = { partnerId, orgIds: [place.org.id, place.otherOrg.id] }
    for (const reach of [all, both, { deviceIds: [device] }])
      expect(await may(['scripts:execute', 'devices:execute'], reach)).toBe('permitted')
    expect(await may(['scripts:execute'], { deviceIds: [device, randomUUID()] })).toBe('not_permitted')
    const foreign = await world()
    expect(await may([], { partnerId, orgIds: [foreign.org.id] })).toBe('not_permitted')
    expect(await may([], { partnerId: foreign.partner.id, orgIds: null })).toBe('not_permitted')
    const change = (what: string) => system.query(`UPDATE partner_users SET ${what} WHERE user_id = $1`, [who.userId])
    await change(`org_access = 'selected', org_ids = ARRAY['${place.otherOrg.id}'::uuid]`)
    expect(await may([], all)).toBe('not_permitted')
    expect(await may([], { deviceIds: [device] })).toBe('not_permitted')
    expect(await may([], { partnerId, orgIds: [place.otherOrg.id] })).toBe('permitted')
    await change(`role_id = (SELECT id FROM roles WHERE is_system AND name = 'Partner Viewer')`)
    expect(await may(['scripts:execute'], { partnerId, orgIds: [place.otherOrg.id] })).toBe('not_permitted')
    await system.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [who.userId])
    expect(await may([], { partnerId, orgIds: [place.otherOrg.id] })).toBe('not_permitted')
  })
})
