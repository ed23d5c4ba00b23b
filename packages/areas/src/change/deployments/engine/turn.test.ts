import { randomUUID } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call } from '@muster/testkit/call.ts'
import { setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { course } from '../course/course.contract.ts'
import { devices } from '../devices/devices.contract.ts'
import { type Fleet, fleetOf, initialized, Staged } from '../testing/staged.ts'

const { system } = await testServices()
let fleet: Fleet
beforeAll(async () => {
  fleet = await fleetOf(10)
})
const commandsOf = async (id: string) =>
  (await system.query('SELECT id, device_id FROM device_commands WHERE origin->>$1 = $2', ['id', id])).rows

describe('a deployment that runs', () => {
  it('sends the order to one batch after another, to each device once, and completes', async () => {
    const staged = await Staged.start(fleet, { batches: [{ count: 1 }, { count: 4 }, { percent: 100 }] })
    await staged.turn()
    expect((await staged.get()).counts).toMatchObject({ total: 10, queued: 1, pending: 9 })
    const sent = await staged.run()
    expect(sent.toSorted()).toEqual([...fleet.deviceIds].sort())
    const after = await staged.get()
    expect(after).toMatchObject({
      status: 'completed',
      reason: null,
      counts: { succeeded: 10 },
      endedAt: expect.any(String),
    })
    expect(after.batches.map(({ devices: count }) => count)).toEqual([1, 3, 6])
    expect(after.batches.every(({ beganAt, endedAt }) => beganAt !== null && endedAt !== null)).toBe(true)
    expect(await commandsOf(staged.id)).toHaveLength(10)
    const actions = (await auditOf(staged.id)).map(({ action }) => action)
    expect(actions).toEqual(expect.arrayContaining(['deployment.start', 'deployment.complete']))
  })

  it('never has more commands open than its concurrency', async () => {
    const staged = await Staged.start(fleet, { batches: [{ percent: 100 }], maxConcurrency: 3 })
    await staged.turn()
    await staged.turn()
    const queued = (await staged.devices()).filter(({ status }) => status === 'queued')
    expect(queued).toHaveLength(3)
    const [first] = queued
    if (first === undefined) throw new Error('no device is queued')
    await staged.end(first)
    await staged.turn()
    expect((await staged.get()).counts).toMatchObject({ queued: 3, succeeded: 1, pending: 6 })
    await staged.run()
    expect((await staged.get()).counts.succeeded).toBe(10)
  })

  it('sends no more per minute than it may', async () => {
    const staged = await Staged.start(fleet, { batches: [{ percent: 100 }], perMinute: 4 })
    expect(await staged.run()).toHaveLength(4)
    await system.query(
      `UPDATE deployment_devices SET issued_at = issued_at - interval '1 minute' WHERE deployment_id = $1`,
      [staged.id],
    )
    expect(await staged.run()).toHaveLength(4)
  })

  it('halts when more devices failed than the strategy permits, before the next batch', async () => {
    const staged = await Staged.start(fleet, { batches: [{ count: 4 }, { percent: 100 }], maxErrors: { count: 1 } })
    await staged.turn()
    const [one, two] = await staged.devices()
    if (one === undefined || two === undefined) throw new Error('no devices')
    await staged.end(one, 1)
    await staged.turn()
    expect((await staged.get()).status).toBe('running')
    await staged.end(two, 1)
    await staged.turn()
    expect(await staged.get()).toMatchObject({ status: 'halted', reason: '2 of 4 devices failed', currentBatch: 1 })
    for (const device of await staged.devices()) if (device.status === 'queued') await staged.end(device)
    await staged.turn()
    const after = await staged.get()
    expect(after).toMatchObject({ status: 'halted', counts: { succeeded: 2, failed: 2, pending: 6 } })
    const { rows } = await system.query(
      `SELECT data FROM events WHERE type = 'deployment.halted' AND data->>'deploymentId' = $1`,
      [staged.id],
    )
    expect(rows).toMatchObject([{ data: { name: 'Staged', failed: 2, issued: 4 } }])
  })

  it('accepts the failures so far when a person resumes it', async () => {
    const strategy = { batches: [{ count: 4 }, { percent: 100 }], maxErrors: { count: 1 }, successPercent: 50 }
    const staged = await Staged.start(fleet, strategy)
    let failures = 0
    await staged.run(() => (failures++ < 2 ? 1 : 0))
    expect((await staged.get()).status).toBe('halted')
    await call(fleet.here.orgAdmin, course.resume, { id: staged.id })
    await staged.run()
    expect(await staged.get()).toMatchObject({ status: 'completed', counts: { succeeded: 8, failed: 2 } })
  })

  it('waits while too few devices of a batch succeeded', async () => {
    const strategy = { batches: [{ count: 4 }, { percent: 100 }], maxErrors: { percent: 100 }, successPercent: 80 }
    const staged = await Staged.start(fleet, strategy)
    const [first] = await staged.devices()
    await staged.run(({ deviceId }) => (deviceId === first?.deviceId ? 1 : 0))
    expect(await staged.get()).toMatchObject({
      ...{ status: 'running', currentBatch: 1, reason: 'batch 1: too few devices succeeded' },
      counts: { pending: 6 },
    })
    const again = await call(fleet.here.orgAdmin, devices.retry, { id: staged.id, deviceId: first?.deviceId ?? '' })
    expect(again).toMatchObject({ status: 'pending', exitCode: null, approval: null })
    await staged.run()
    expect((await staged.get()).counts.succeeded).toBe(10)
  })

  it('watches each batch for the time of its soak', async () => {
    const staged = await Staged.start(fleet, { batches: [{ count: 2 }, { percent: 100 }], soakSeconds: 60 })
    expect(await staged.run()).toHaveLength(2)
    expect((await staged.get()).currentBatch).toBe(1)
    await system.query(
      `UPDATE deployment_batches SET settled_at = settled_at - interval '1 minute' WHERE deployment_id = $1`,
      [staged.id],
    )
    expect(await staged.run()).toHaveLength(8)
  })

  it('tries a failed device again as often as it may, after the delay', async () => {
    const staged = await Staged.start(fleet, {
      ...{ batches: [{ count: 1 }, { percent: 100 }], maxErrors: { count: 0 } },
      retries: { max: 1, delaySeconds: 30 },
    })
    const [first] = await staged.devices()
    expect(await staged.run(() => 1)).toEqual([first?.deviceId])
    expect((await staged.devices())[0]).toMatchObject({ status: 'pending', attempt: 1, exitCode: 1 })
    await system.query('UPDATE deployment_devices SET not_before = now() WHERE deployment_id = $1', [staged.id])
    await staged.run(() => 1)
    expect((await staged.devices())[0]).toMatchObject({ status: 'failed', attempt: 2 })
    expect((await staged.get()).status).toBe('halted')
  })

  it('reads the ends of commands after it was paused', async () => {
    const staged = await Staged.start(fleet, { batches: [{ count: 2 }, { percent: 100 }] })
    await staged.turn()
    await call(fleet.here.orgAdmin, course.pause, { id: staged.id })
    for (const device of (await staged.devices()).slice(0, 2)) await staged.end(device)
    await staged.turn()
    expect(await staged.get()).toMatchObject({ status: 'paused', counts: { succeeded: 2, pending: 8 } })
    await call(fleet.here.orgAdmin, course.resume, { id: staged.id })
    await staged.run()
    expect((await staged.get()).status).toBe('completed')
  })

  it('ends at its deadline, when devices that were not sent the order expire', async () => {
    const staged = await Staged.start(fleet, { batches: [{ count: 3 }, { percent: 100 }], soakSeconds: 600 })
    await staged.run()
    await system.query('UPDATE deployments SET deadline_at = now() WHERE id = $1', [staged.id])
    await staged.turn()
    expect(await staged.get()).toMatchObject({ status: 'completed', counts: { succeeded: 3, expired: 7 } })
  })
})

describe('a device that is offline', () => {
  it('is held until it is online, and does not hold the batch back', async () => {
    const own = await fleetOf(3)
    const staged = await Staged.start(own, { batches: [{ count: 2 }, { percent: 100 }] })
    const [first] = await staged.devices()
    await setState(first?.deviceId ?? '', { status: 'offline' })
    expect(await staged.run()).toHaveLength(2)
    const held = (await staged.devices())[0]
    expect(held).toMatchObject({ status: 'held', reason: 'offline', attempt: 0 })
    expect((await staged.get()).status).toBe('running')
    await setState(first?.deviceId ?? '', { status: 'online' })
    expect(await staged.run()).toEqual([first?.deviceId])
    expect((await staged.get()).status).toBe('completed')
  })

  it('is skipped if the strategy says so', async () => {
    const own = await fleetOf(2)
    const staged = await Staged.start(own, { batches: [{ percent: 100 }], offline: 'skip' })
    const [first] = await staged.devices()
    await setState(first?.deviceId ?? '', { status: 'offline' })
    await staged.run()
    expect((await staged.devices())[0]).toMatchObject({ status: 'skipped', reason: 'offline' })
    expect((await staged.get()).status).toBe('completed')
  })
})

describe('the owner of a deployment', () => {
  it('halts it when the owner is no longer permitted', async () => {
    const own = await fleetOf(2)
    const staged = await Staged.start(own, { batches: [{ percent: 100 }] })
    await system.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [own.here.orgAdmin.userId])
    await staged.turn()
    const { rows } = await system.query('SELECT status, reason FROM deployments WHERE id = $1', [staged.id])
    expect(rows).toEqual([{ status: 'halted', reason: 'owner_not_permitted' }])
    expect(await commandsOf(staged.id)).toEqual([])
  })

  /** A deployment of an owner who is limited to the site of the devices. */
  async function ofSite() {
    const { here, deviceIds } = await fleetOf(3)
    const { partner, org, site } = here
    const tenant = { scope: 'organization' as const, partnerId: partner.id, orgId: org.id }
    const owner = await person(tenant, { role: 'Org Admin', siteIds: [site.id] })
    await system.query('UPDATE devices SET site_id = $1 WHERE id = ANY ($2::uuid[])', [site.id, deviceIds])
    const { id } = await initialized({ here: { ...here, orgAdmin: owner }, deviceIds }, { batches: [{ percent: 100 }] })
    await call(owner, course.start, { id })
    return { deviceIds, owner, staged: new Staged({ here, deviceIds }, id, await testWorkerParts()) }
  }

  it('halts it when the owner reaches none of its devices any more', async () => {
    const { owner, staged } = await ofSite()
    await system.query('UPDATE organization_users SET site_ids = $2 WHERE user_id = $1', [owner.userId, [randomUUID()]])
    expect(await staged.run()).toEqual([])
    expect(await staged.get()).toMatchObject({
      ...{ status: 'halted', reason: 'owner_not_permitted' },
      counts: { pending: 3, skipped: 0 },
    })
    expect(await commandsOf(staged.id)).toEqual([])
  })

  it('skips only the devices that the owner no longer reaches', async () => {
    const { deviceIds, staged } = await ofSite()
    const [moved = ''] = deviceIds
    await system.query('UPDATE devices SET site_id = NULL WHERE id = $1', [moved])
    const sent = await staged.run()
    expect(sent.toSorted()).toEqual(deviceIds.slice(1).toSorted())
    expect(await staged.get()).toMatchObject({
      ...{ status: 'completed', reason: null },
      counts: { succeeded: 2, skipped: 1 },
    })
    const skipped = (await staged.devices()).find(({ deviceId }) => deviceId === moved)
    expect(skipped).toMatchObject({ status: 'skipped', reason: 'out_of_reach', attempt: 0, commandId: null })
  })
})
