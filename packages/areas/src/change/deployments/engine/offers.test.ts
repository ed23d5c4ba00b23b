// Agent versions as the order of deployments. Agents answer through the store of the worker.
import { randomUUID } from 'node:crypto'
import { inTransaction } from '@muster/db/transaction.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { holding } from '@muster/testkit/node.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import type { UpdateStatus } from '@muster/wire/messages/update-status.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workerSignerOf } from '../../../control/commands/index.ts'
import { defaultEffects } from '../../../control/maintenance/maintenance.contract.ts'
import { offerUpdates } from '../../../control/rollouts/offers.jobs.ts'
import { pins } from '../../../control/rollouts/pins.contract.ts'
import { rollouts, stop } from '../../../control/rollouts/rollouts.contract.ts'
import { rolloutsTurn } from '../../../control/rollouts/testing/rollouts-turn.ts'
import { updateReports } from '../../../control/rollouts/updates/updates.records.ts'
import { defaultStrategy, type StrategyInput } from '../batches/strategy.contract.ts'
import { course } from '../course/course.contract.ts'
import { deployments } from '../deployments.contract.ts'
import { devices as devicesContract } from '../devices/devices.contract.ts'
import { type Fleet, fleetOf, Staged } from '../testing/staged.ts'

const { system } = await testServices()
await rolloutsTurn()
const parts = await testWorkerParts()
const version = '500000.1.0'
const versionIds = new Map<string, string>()
let fleet: Fleet

async function register(named: string, os = 'linux'): Promise<string> {
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO agent_versions (version, os, arch, source, url, sha256, size, candidate)
     VALUES ($1, $2, 'x64', 'upstream', 'http://127.0.0.1:1/x', $3, 7, false) RETURNING id`,
    [named, os, 'a'.repeat(64)],
  )
  return rows[0]?.id ?? ''
}
beforeAll(async () => {
  versionIds.set('linux', await register(version))
  versionIds.set('windows', await register(version, 'windows'))
})
const order = () => ({ kind: 'agent_version' as const, versionId: versionIds.get('linux') ?? '' })
const fresh = async (size: number) => {
  fleet = await fleetOf(size)
  return fleet
}
const usual: StrategyInput = { batches: [{ count: 1 }, { percent: 100 }], soakSeconds: 600 }

/** A draft for all devices of the fleet, by a system administrator. */
const create = ({ here, deviceIds }: Fleet, strategy: StrategyInput = usual, more: object = {}) =>
  call(here.systemAdmin, deployments.create, {
    ...{ orgId: here.org.id, partnerId: here.partner.id, name: 'Agents', order: order() },
    targets: { deviceIds: [...deviceIds] },
    strategy,
    ...more,
  })

async function started(given: Fleet, strategy?: StrategyInput, more?: object): Promise<Staged> {
  const { id } = await create(given, strategy, more)
  await call(given.here.systemAdmin, deployments.initialize, { id })
  await call(given.here.systemAdmin, course.start, { id })
  return new Staged(given, id, parts)
}
const queued = async (staged: Staged) => (await staged.devices()).filter(({ status }) => status === 'queued')
const statusOf = async (staged: Staged, id: string) => (await staged.devices()).find(({ deviceId }) => deviceId === id)

const report = (deviceId: string, body: Partial<UpdateStatus>) =>
  inTransaction(system, (client) =>
    updateReports.store(
      client,
      [{ name: 'updateStatus', deviceId, atMs: Date.now() + 1, body: { version, state: 'confirmed', ...body } }],
      parts,
    ),
  )
async function updated(deviceId: string): Promise<void> {
  await system.query('UPDATE devices SET agent_version = $2 WHERE id = $1', [deviceId, version])
  await report(deviceId, { state: 'confirmed', fromVersion: '1.0.0' })
}
const soaked = ({ id }: Staged) =>
  system.query(`UPDATE deployment_batches SET settled_at = settled_at - interval '1 hour' WHERE deployment_id = $1`, [
    id,
  ])
/** As if the offers had been made ten minutes ago. */
const lapsed = ({ id }: Staged) =>
  system.query(
    `WITH made AS (UPDATE deployment_devices SET issued_at = now() - interval '10 minutes', not_before = NULL
       WHERE deployment_id = $1 RETURNING device_id)
     UPDATE device_updates SET offered_at = now() - interval '10 minutes' WHERE device_id IN (SELECT device_id FROM made)`,
    [id],
  )

describe('a deployment of an agent version', () => {
  it('offers the version to one batch after another, and completes when the agents report it', async () => {
    const { deviceIds } = await fresh(3)
    const agents = await holding(...deviceIds)
    const staged = await started(fleet)
    await staged.turn()
    const [first, ...none] = await queued(staged)
    expect(none).toEqual([])
    const { deviceId, message } = await agents.next()
    expect(deviceId).toBe(first?.deviceId)
    expect(message).toMatchObject({
      name: 'update',
      body: { version, rolloutId: staged.id, url: 'http://127.0.0.1:1/x', target: `${version}/linux-x64/muster-agent` },
    })
    await report(deviceId, { state: 'downloading' })
    await staged.turn()
    expect((await staged.get()).counts).toMatchObject({ queued: 1, pending: 2 })
    await updated(deviceId)
    await staged.turn()
    expect((await staged.get()).counts).toMatchObject({ succeeded: 1, pending: 2 })
    await soaked(staged)
    await staged.turn()
    const second = await queued(staged)
    expect(second).toHaveLength(2)
    for (const device of second) await updated(device.deviceId)
    await staged.turn()
    expect(await staged.get()).toMatchObject({ status: 'completed', counts: { succeeded: 3 } })
    const { rows } = await system.query('SELECT FROM device_commands WHERE batch_id = $1', [staged.id])
    expect(rows).toEqual([])
  })

  it('halts before the next batch when the agent goes back, and accepts that on resume', async () => {
    await fresh(3)
    const staged = await started(fleet)
    await staged.turn()
    const [first] = await queued(staged)
    await report(first?.deviceId ?? '', { state: 'rolled_back', reason: 'no_heartbeat', barred: [version] })
    await staged.turn()
    expect(await staged.get()).toMatchObject({ status: 'halted', reason: '1 of 1 devices failed' })
    expect(await statusOf(staged, first?.deviceId ?? '')).toMatchObject({ status: 'failed', reason: 'no_heartbeat' })
    await staged.turn()
    expect((await staged.get()).counts).toMatchObject({ pending: 2, queued: 0 })
    const { rows } = await system.query('SELECT FROM device_updates WHERE device_id = ANY ($1)', [fleet.deviceIds])
    expect(rows).toHaveLength(1)
    expect(await call(fleet.here.systemAdmin, course.resume, { id: staged.id })).toMatchObject({ status: 'running' })
  })

  it('begins with the same devices when it is repeated, which are those of a rollout', async () => {
    await fresh(8)
    for (let times = 0; times < 3; times++) {
      const { id } = await create(fleet)
      await call(fleet.here.systemAdmin, deployments.initialize, { id })
      const { data } = await call(fleet.here.systemAdmin, devicesContract.list, { id })
      const { rows } = await system.query<{ id: string }>(
        `SELECT id FROM devices WHERE id = ANY ($2)
         ORDER BY ('x' || substr(md5($1 || id::text), 1, 8))::bit(32)::bigint % 10000, id`,
        [version, fleet.deviceIds],
      )
      expect(data.map(({ deviceId }) => deviceId)).toEqual(rows.map((row) => row.id))
    }
  })

  it('holds a device that does not answer, and offers the version again', async () => {
    await fresh(1)
    const staged = await started(fleet)
    await staged.turn()
    await staged.turn()
    expect((await staged.devices())[0]).toMatchObject({ status: 'queued', attempt: 1 })
    await lapsed(staged)
    await system.query(`UPDATE device_updates SET next_offer_at = now() + interval '1 hour' WHERE rollout_id = $1`, [
      staged.id,
    ])
    await staged.turn()
    expect((await staged.devices())[0]).toMatchObject({ status: 'held', reason: 'no_answer' })
    await staged.turn()
    expect((await staged.devices())[0]).toMatchObject({ status: 'held', attempt: 1 })
    await lapsed(staged)
    await staged.turn()
    expect((await staged.devices())[0]).toMatchObject({ status: 'queued', attempt: 2 })
  })

  it('does not count a refusal against the version that another reason explains', async () => {
    await fresh(1)
    const staged = await started(fleet)
    await staged.turn()
    await report(fleet.deviceIds[0] ?? '', { state: 'refused', reason: 'disk_full', error: 'no space' })
    await staged.turn()
    expect((await staged.devices())[0]).toMatchObject({ status: 'held', reason: 'disk_full', error: 'no space' })
    expect((await staged.get()).status).toBe('running')
  })

  it('skips devices that cannot get the version, and counts those that run it', async () => {
    await fresh(6)
    const { id } = await create(fleet, { ...usual, successPercent: 0 })
    await call(fleet.here.systemAdmin, deployments.initialize, { id })
    const staged = new Staged(fleet, id, parts)
    const [plain = '', runs = '', newer = '', other = '', off = '', barred = ''] = (await staged.devices()).map(
      ({ deviceId }) => deviceId,
    )
    const set = (deviceId: string, change: string) =>
      system.query(`UPDATE devices SET ${change} WHERE id = $1`, [deviceId])
    await set(runs, `agent_version = '${version}'`)
    await set(newer, `agent_version = '500000.2.0'`)
    await set(other, `architecture = 'riscv'`)
    await set(off, 'auto_update = false')
    await system.query(
      `INSERT INTO device_updates (device_id, org_id, partner_id, version, barred) SELECT id, org_id, partner_id, '1.0.0', $2 FROM devices WHERE id = $1`,
      [barred, [version]],
    )
    await call(fleet.here.systemAdmin, course.start, { id })
    await staged.turn()
    expect((await queued(staged)).map(({ deviceId }) => deviceId)).toEqual([plain])
    await updated(plain)
    await staged.turn()
    await soaked(staged)
    await staged.turn()
    await staged.turn()
    expect((await staged.get()).status).toBe('completed')
    const ends = new Map((await staged.devices()).map(({ deviceId, status, reason }) => [deviceId, { status, reason }]))
    expect(ends.get(runs)).toEqual({ status: 'succeeded', reason: 'up_to_date' })
    expect(ends.get(newer)).toEqual({ status: 'skipped', reason: 'newer_version' })
    expect(ends.get(other)).toEqual({ status: 'skipped', reason: 'unsupported_platform' })
    expect(ends.get(off)).toEqual({ status: 'skipped', reason: 'auto_update_off' })
    expect(ends.get(barred)).toEqual({ status: 'skipped', reason: 'barred' })
    expect(ends.get(plain)).toEqual({ status: 'succeeded', reason: null })
  })

  it('holds devices while a pin or a maintenance window does', async () => {
    await fresh(1)
    const { here, deviceIds } = fleet
    const staged = await started(fleet)
    const pin = await call(here.orgAdmin, pins.set, { orgId: here.org.id })
    await staged.turn()
    expect((await staged.devices())[0]).toMatchObject({ status: 'held', reason: 'pinned', attempt: 0 })
    await call(here.orgAdmin, pins.remove, { id: pin.id })
    const { rows } = await system.query<{ id: string }>(
      `WITH made AS (INSERT INTO target_sets (partner_id, everything, device_ids) VALUES ($1, false, ARRAY[$2::uuid]) RETURNING id, partner_id),
        w AS (INSERT INTO maintenance_windows (partner_id, name, starts_at, timezone, duration_minutes, effects, target_set_id, scheduled_until)
          SELECT partner_id, 'Freeze', '2026-01-01T00:00', 'UTC', 60, $3, id, now() + interval '1 year' FROM made
          RETURNING id, partner_id)
       INSERT INTO maintenance_occurrences (window_id, partner_id, timezone, local_start, starts_at, ends_at)
       SELECT id, partner_id, 'UTC', '2026-01-01T00:00', now(), now() + interval '1 hour' FROM w RETURNING id`,
      [here.partner.id, deviceIds[0], JSON.stringify({ ...defaultEffects, alerts: 'none', agentUpdates: 'suppress' })],
    )
    await lapsed(staged)
    await staged.turn()
    expect((await staged.devices())[0]).toMatchObject({ status: 'held', reason: 'maintenance', attempt: 0 })
    await system.query('UPDATE maintenance_occurrences SET ends_at = now() WHERE id = $1', [rows[0]?.id])
    await lapsed(staged)
    await staged.turn()
    expect((await staged.devices())[0]).toMatchObject({ status: 'queued', attempt: 1 })
  })

  it('offers nothing while all updates are stopped', async () => {
    await fresh(1)
    const staged = await started(fleet)
    await call(fleet.here.systemAdmin, stop.set, { reason: 'A drill' })
    try {
      await staged.turn()
      expect(await staged.get()).toMatchObject({ status: 'running', reason: 'updates_stopped', counts: { pending: 1 } })
    } finally {
      await call(fleet.here.systemAdmin, stop.lift, {})
    }
    await staged.turn()
    expect(await staged.get()).toMatchObject({ reason: null, counts: { queued: 1 } })
  })

  it('reads what became of an offer while it is paused, and ends offers when it is canceled', async () => {
    await fresh(2)
    const staged = await started(fleet, { ...usual, batches: [{ count: 1 }, { percent: 100 }] })
    await staged.turn()
    const [first] = await queued(staged)
    await call(fleet.here.systemAdmin, course.pause, { id: staged.id })
    await updated(first?.deviceId ?? '')
    await staged.turn()
    expect(await staged.get()).toMatchObject({ status: 'paused', counts: { succeeded: 1, pending: 1 } })
    await call(fleet.here.systemAdmin, course.resume, { id: staged.id })
    await staged.turn()
    await soaked(staged)
    await staged.turn()
    expect((await staged.get()).counts.queued).toBe(1)
    await call(fleet.here.systemAdmin, course.cancel, { id: staged.id })
    expect((await staged.get()).counts).toMatchObject({ succeeded: 1, cancelled: 1, queued: 0 })
  })

  it('is not crossed by a rollout of another version', async () => {
    await fresh(1)
    const [id = ''] = fleet.deviceIds
    const other = '500000.0.9'
    await register(other)
    const staged = await started(fleet)
    await staged.turn()
    await system.query(`UPDATE agent_rollouts SET state = 'cancelled' WHERE state <> 'completed'`)
    const rollout = await call(fleet.here.systemAdmin, rollouts.create, { version: other })
    await system.query('UPDATE agent_rollouts SET stage = 4 WHERE id = $1', [rollout.id])
    const { pool, redis, log } = parts
    await offerUpdates({ pool, redis, log, signer: workerSignerOf(parts), publicUrl: 'http://127.0.0.1:3000' })
    await call(fleet.here.systemAdmin, rollouts.cancel, { id: rollout.id })
    const { rows } = await system.query('SELECT version, rollout_id FROM device_updates WHERE device_id = $1', [id])
    expect(rows).toEqual([{ version, rollout_id: staged.id }])
  })
})

describe('who deploys an agent version', () => {
  it('is a system administrator', async () => {
    const { here, deviceIds } = await fresh(1)
    const given = { orgId: here.org.id, name: 'Agents', order: order(), targets: { deviceIds: [...deviceIds] } }
    for (const who of [here.partnerAdmin, here.orgAdmin])
      expect(await refusal(call(who, deployments.create, given))).toMatchObject({ status: 403 })
    const { id } = await create(fleet)
    await call(here.systemAdmin, deployments.initialize, { id })
    expect(await refusal(call(here.partnerAdmin, course.start, { id }))).toMatchObject({
      ...{ status: 403, message: 'Only system administrators deploy agent versions' },
    })
    await call(here.systemAdmin, course.start, { id })
    await call(here.partnerAdmin, course.pause, { id })
    expect(await refusal(call(here.partnerAdmin, course.resume, { id }))).toMatchObject({ status: 403 })
  })

  it('shows a fresh proof to start it, however few devices it has', async () => {
    await fresh(1)
    const { systemAdmin } = await world()
    const { id } = await create(fleet)
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      systemAdmin.sessionId,
    ])
    await call(systemAdmin, deployments.initialize, { id })
    expect(await refusal(call(systemAdmin, course.start, { id }))).toMatchObject({
      ...{ status: 403, extra: { confirm: 'currentPassword' } },
    })
  })

  it.each([
    ['an unknown version', { order: { kind: 'agent_version', versionId: randomUUID() } }, 'order.versionId'],
    ['a short soak', { strategy: { ...usual, soakSeconds: 599 } }, 'strategy.soakSeconds'],
    ['a high limit of errors', { strategy: { ...usual, maxErrors: { percent: 51 } } }, 'strategy.maxErrors'],
  ])('refuses %s, naming the field', async (_, more, field) => {
    const given = fleet ?? (await fresh(1))
    const told = await refusal(create(given, usual, more))
    expect(told).toMatchObject({ status: 400, message: expect.stringContaining(field) })
  })

  it('cannot begin with more than a tenth of the devices', async () => {
    await fresh(11)
    const begin = async (batches: StrategyInput['batches']) => {
      const { id } = await create(fleet, { ...defaultStrategy, batches })
      await call(fleet.here.systemAdmin, deployments.initialize, { id })
      return call(fleet.here.systemAdmin, course.start, { id })
    }
    expect(await refusal(begin([{ percent: 100 }]))).toMatchObject({
      status: 400,
      message: expect.stringContaining('strategy.batches'),
    })
    expect(await refusal(begin([{ count: 3 }, { percent: 100 }]))).toMatchObject({ status: 400 })
    expect(await begin([{ count: 2 }, { percent: 100 }])).toMatchObject({ status: 'running' })
  })
})

afterAll(() => system.query(`UPDATE agent_rollouts SET state = 'cancelled' WHERE state <> 'completed'`))
