import { randomUUID } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { roles } from '../../access/roles/roles.contract.ts'
import { groups } from '../../fleet/groups/groups.contract.ts'
import { members } from '../../fleet/groups/members.contract.ts'
import { defaultStrategy } from './batches/strategy.contract.ts'
import { course } from './course/course.contract.ts'
import { deployments } from './deployments.contract.ts'
import { devices } from './devices/devices.contract.ts'
import { type Fleet, fleetOf, look, Staged } from './testing/staged.ts'

const { system } = await testServices()
let fleet: Fleet
beforeAll(async () => {
  fleet = await fleetOf(5)
})
const create = (more: object = {}) =>
  call(fleet.here.orgAdmin, deployments.create, {
    ...{ orgId: fleet.here.org.id, name: 'Nightly', order: look, targets: { deviceIds: [...fleet.deviceIds] } },
    ...more,
  })

describe('a new deployment', () => {
  it('is a draft with the usual strategy', async () => {
    const made = await create()
    expect(made).toMatchObject({
      ...{ status: 'draft', strategy: defaultStrategy, batches: [], currentBatch: 0, startAt: null, deadlineAt: null },
      ...{ order: { kind: 'command', type: 'refresh_inventory', payload: {} }, counts: { total: 0 } },
      createdBy: fleet.here.orgAdmin.userId,
    })
    expect((await auditOf(made.id)).at(-1)).toMatchObject({ action: 'deployment.create' })
    const { data } = await call(fleet.here.orgAdmin, deployments.list, { search: 'nightly', status: 'draft' })
    expect(data.map(({ id }) => id)).toContain(made.id)
  })

  it('names devices, groups, places or a filter', async () => {
    expect(await refusal(create({ targets: {} }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('targets'),
    })
  })

  it.each([
    ['an unknown script', { order: { kind: 'script', scriptId: randomUUID() } }, 'order.scriptId'],
    ['an unknown kind', { order: { kind: 'magic' } }, 'order'],
    ['a payload that the command does not take', { order: { ...look, payload: { path: '/' } } }, 'payload'],
    ['an unknown group', { strategy: { batches: [{ groupIds: [randomUUID()] }] } }, 'strategy.batches.0.groupIds'],
    ['an unknown device', { targets: { deviceIds: [randomUUID()] } }, 'targets.deviceIds'],
    ['a deadline in the past', { deadlineAt: '2020-01-01T00:00:00Z' }, 'deadlineAt'],
    ['a negative soak', { strategy: { soakSeconds: -1 } }, 'strategy.soakSeconds'],
    ['two limits of errors', { strategy: { maxErrors: { percent: 1, count: 1 } } }, 'strategy.maxErrors'],
  ])('refuses %s, naming the field', async (_, more, field) => {
    const told = await refusal(create(more))
    expect(told.status).toBe(400)
    expect(JSON.stringify(told)).toContain(field)
  })

  it('takes the permission of its order', async () => {
    const { here } = fleet
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const member = await person(tenant, { role: 'Org Technician' })
    const role = await call(here.orgAdmin, roles.create, {
      name: `Planner ${randomUUID()}`,
      permissions: [
        { resource: 'automations', action: 'read' },
        { resource: 'automations', action: 'write' },
        { resource: 'devices', action: 'read' },
      ],
    })
    await system.query('UPDATE organization_users SET role_id = $2 WHERE user_id = $1', [member.userId, role.id])
    const given = { orgId: here.org.id, name: 'Other', order: look, targets: { deviceIds: [...fleet.deviceIds] } }
    expect(await refusal(call(member, deployments.create, given))).toMatchObject({ status: 403 })
  })
})

describe('the batches', () => {
  it('are drawn once, from the devices that are targeted then', async () => {
    const made = await create({ strategy: { batches: [{ percent: 20 }, { count: 3 }, { percent: 100 }] } })
    const ready = await call(fleet.here.orgAdmin, deployments.initialize, { id: made.id })
    expect(ready).toMatchObject({ status: 'ready', counts: { total: 5, pending: 5 } })
    expect(ready.batches).toMatchObject([
      { number: 1, devices: 1, beganAt: null, endedAt: null },
      { number: 2, devices: 2 },
      { number: 3, devices: 2 },
    ])
    const { data } = await call(fleet.here.orgAdmin, devices.list, { id: made.id, batch: 2 })
    expect(data).toHaveLength(2)
    const [first] = data
    const found = await call(fleet.here.orgAdmin, devices.list, { id: made.id, search: first?.hostname.toUpperCase() })
    expect(found.data).toMatchObject([{ deviceId: first?.deviceId, status: 'pending', attempt: 0 }])
    expect((await call(fleet.here.orgAdmin, devices.list, { id: made.id, status: ['running'] })).data).toEqual([])
  })

  it('can be groups', async () => {
    const { here, deviceIds } = fleet
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: `Pilots ${randomUUID()}` })
    await call(here.orgAdmin, members.add, { id: group.id, deviceIds: deviceIds.slice(0, 2) })
    const made = await create({ strategy: { batches: [{ groupIds: [group.id] }, { percent: 100 }] } })
    await call(here.orgAdmin, deployments.initialize, { id: made.id })
    const { data } = await call(here.orgAdmin, devices.list, { id: made.id, batch: 1 })
    expect(data.map(({ deviceId }) => deviceId).toSorted()).toEqual(deviceIds.slice(0, 2).toSorted())
  })

  it('need a device', async () => {
    const made = await create({ targets: { tags: ['of no device'] } })
    const told = await refusal(call(fleet.here.orgAdmin, deployments.initialize, { id: made.id }))
    expect(told).toMatchObject({ status: 400, message: 'The targets contain no device' })
    expect(await call(fleet.here.orgAdmin, deployments.get, { id: made.id })).toMatchObject({ status: 'draft' })
  })
})

describe('a change', () => {
  it('makes a deployment that is ready a draft again', async () => {
    const made = await create()
    await call(fleet.here.orgAdmin, deployments.initialize, { id: made.id })
    const strategy = { batches: [{ percent: 100 }] }
    const after = await call(fleet.here.orgAdmin, deployments.update, { id: made.id, strategy })
    expect(after).toMatchObject({ status: 'draft', batches: [], strategy: { ...defaultStrategy, ...strategy } })
    expect(await refusal(call(fleet.here.orgAdmin, deployments.update, { id: made.id }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('No updates provided'),
    })
  })

  it('takes only the concurrency and the deadline after the start', async () => {
    const staged = await Staged.start(fleet, { batches: [{ percent: 100 }] })
    const change = (more: object) => call(fleet.here.orgAdmin, deployments.update, { id: staged.id, ...more })
    const deadlineAt = new Date(Date.now() + 3_600_000).toISOString()
    expect(await change({ strategy: { maxConcurrency: 2 }, deadlineAt })).toMatchObject({
      ...{ status: 'running', deadlineAt },
      strategy: { maxConcurrency: 2 },
    })
    expect(await refusal(change({ strategy: { soakSeconds: 1 } }))).toMatchObject({
      ...{ status: 409, code: 'CONFLICT', message: expect.stringContaining('strategy.soakSeconds') },
    })
    expect(await refusal(change({ name: 'Other' }))).toMatchObject({ status: 409 })
    await call(fleet.here.orgAdmin, course.cancel, { id: staged.id })
    expect(await refusal(change({ strategy: { maxConcurrency: 2 } }))).toMatchObject({ status: 409 })
  })
})

describe('the steps of a deployment', () => {
  it('follow each other, and other ones are refused', async () => {
    const { orgAdmin } = fleet.here
    const { id } = await create()
    const start = () => call(orgAdmin, course.start, { id })
    const refused = { status: 409, code: 'CONFLICT' }
    expect(await refusal(start())).toMatchObject(refused)
    for (const step of [course.pause, course.resume])
      expect(await refusal(call(orgAdmin, step, { id }))).toMatchObject(refused)
    await call(orgAdmin, deployments.initialize, { id })
    expect(await start()).toMatchObject({ status: 'running', approval: null, deadlineAt: expect.any(String) })
    expect(await refusal(start())).toMatchObject(refused)
    expect(await refusal(call(orgAdmin, deployments.initialize, { id }))).toMatchObject(refused)
    expect(await refusal(call(orgAdmin, deployments.remove, { id }))).toMatchObject(refused)
    expect(await call(orgAdmin, course.pause, { id })).toMatchObject({ status: 'paused' })
    expect(await refusal(call(orgAdmin, course.pause, { id }))).toMatchObject(refused)
    expect(await call(orgAdmin, course.resume, { id })).toMatchObject({ status: 'running' })
    expect(await call(orgAdmin, course.cancel, { id })).toMatchObject({
      ...{ status: 'cancelled', endedAt: expect.any(String), counts: { cancelled: 5 } },
    })
    expect(await refusal(call(orgAdmin, course.cancel, { id }))).toMatchObject(refused)
    expect(await call(orgAdmin, deployments.remove, { id })).toEqual({ success: true })
    expect(await refusal(call(orgAdmin, deployments.get, { id }))).toMatchObject({ status: 404 })
  })

  it('begin at its time', async () => {
    const startAt = new Date(Date.now() + 3_600_000).toISOString()
    const staged = await Staged.start(fleet, { batches: [{ percent: 100 }] }, { startAt })
    expect(await staged.get()).toMatchObject({ status: 'scheduled', startAt, startedAt: null })
    await call(fleet.here.orgAdmin, course.pause, { id: staged.id })
    await call(fleet.here.orgAdmin, course.resume, { id: staged.id })
    expect((await staged.get()).status).toBe('scheduled')
    await system.query('UPDATE deployments SET start_at = now(), next_at = now() WHERE id = $1', [staged.id])
    await staged.run()
    expect(await staged.get()).toMatchObject({ status: 'completed', counts: { succeeded: 5 } })
  })
})

describe('a deployment of the whole partner', () => {
  it('is hidden from organizations, and reaches all of them', async () => {
    const { partnerAdmin, orgAdmin, org, otherOrg } = await world()
    await enrolled(partnerAdmin, { orgId: org.id }, 'here')
    await enrolled(partnerAdmin, { orgId: otherOrg.id }, 'there')
    const { id } = await call(partnerAdmin, deployments.create, {
      ...{ name: 'Everywhere', order: look, targets: { orgIds: [org.id, otherOrg.id] } },
    })
    const ready = await call(partnerAdmin, deployments.initialize, { id })
    expect(ready).toMatchObject({ orgId: null, counts: { total: 2 } })
    expect(await refusal(call(orgAdmin, deployments.get, { id }))).toMatchObject({ status: 404 })
    expect((await call(orgAdmin, deployments.list, {})).data).toEqual([])
    expect(
      await refusal(
        call(orgAdmin, deployments.create, { name: 'No', order: look, targets: { orgIds: [otherOrg.id] } }),
      ),
    ).toMatchObject({
      status: 400,
    })
  })
})
