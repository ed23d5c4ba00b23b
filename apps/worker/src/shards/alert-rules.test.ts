import { ruleSetsOf } from '@muster/areas/watch/alerts/index.ts'
import { describe, expect, it } from 'vitest'
import {
  makeParts,
  startConsumer,
  type TestDevice,
  TestNode,
  until,
  untilDrained,
  withConsumer,
} from '../testing/bed.ts'
import { listen, oneDevice, store } from '../testing/fleet.ts'

const { bed, parts } = await withConsumer()

/** A rule on the CPU of all devices of the partner, which the worker knows. */
async function cpuRule(device: TestDevice, more: Record<string, string> = {}): Promise<string> {
  const conditions =
    '{"kind":"metric","metric":"cpuPercent","operator":"gt","threshold":90,"clearThreshold":80,"aggregate":"last"}'
  const columns = { kind: `'metric'`, conditions: `'${conditions}'`, name: `'CPU'`, severity: `'high'`, ...more }
  const { rows } = await bed.owner.query<{ id: string }>(
    `WITH targets AS (INSERT INTO target_sets (partner_id, everything) VALUES ($1, true) RETURNING id)
     INSERT INTO alert_rules (partner_id, target_set_id, ${Object.keys(columns).join(', ')})
     SELECT $1, id, ${Object.values(columns).join(', ')} FROM targets RETURNING id`,
    [device.partnerId],
  )
  await ruleSetsOf(parts.worker).refresh()
  return rows[0]?.id ?? ''
}

const alertsOf = async (ruleId: string) =>
  (
    await bed.owner.query(
      `SELECT status, resolution, occurrences, context FROM alerts WHERE rule_id = $1 ORDER BY opened_at`,
      [ruleId],
    )
  ).rows
const statesOf = async (ruleId: string) =>
  (await bed.owner.query<{ phase: string }>('SELECT phase FROM alert_states WHERE rule_id = $1', [ruleId])).rows.map(
    ({ phase }) => phase,
  )

describe('a rule on a metric', () => {
  it('opens an alert with the heartbeat that crosses the threshold, and resolves it at the threshold for clearing', async () => {
    const device = await oneDevice(bed)
    const ruleId = await cpuRule(device)
    const live = await listen(bed, device)
    const node = new TestNode()
    await store(bed, node.heartbeat(device, 1, 1, Date.now() - 5_000, 50))
    expect(await alertsOf(ruleId)).toEqual([])
    await store(bed, node.heartbeat(device, 1, 2, Date.now() - 4_000, 95))
    expect(await alertsOf(ruleId)).toMatchObject([{ status: 'active', context: { figures: [{ value: 95 }] } }])
    await until(
      'the event',
      async () => live.events.map(({ type }) => type),
      (types) => types.includes('alert.opened'),
    )
    await store(bed, node.heartbeat(device, 1, 3, Date.now() - 3_000, 85))
    expect(await alertsOf(ruleId)).toMatchObject([{ status: 'active', occurrences: 1 }])
    await store(bed, node.heartbeat(device, 1, 4, Date.now() - 2_000, 70))
    expect(await alertsOf(ruleId)).toMatchObject([{ status: 'resolved', resolution: 'auto' }])
    expect(await statesOf(ruleId)).toEqual([])
    live.stop()
  })

  it('waits as long as it says, and evaluates no heartbeat that came late', async () => {
    const device = await oneDevice(bed)
    const ruleId = await cpuRule(device, { for_seconds: '60' })
    const node = new TestNode()
    const begin = Date.now() - 300_000
    await store(bed, node.heartbeat(device, 1, 1, begin, 95))
    expect(await statesOf(ruleId)).toEqual(['pending'])
    await store(bed, node.heartbeat(device, 1, 3, begin + 59_000, 95))
    await store(bed, node.heartbeat(device, 1, 2, begin + 90_000, 95))
    expect(await alertsOf(ruleId)).toEqual([])
    await store(bed, node.heartbeat(device, 1, 4, begin + 60_000, 95))
    expect(await alertsOf(ruleId)).toHaveLength(1)
    expect(await statesOf(ruleId)).toEqual(['firing'])
  })

  it('continues from the stored phase when another worker takes over', async () => {
    const device = await oneDevice(bed)
    const ruleId = await cpuRule(device, { for_seconds: '60' })
    const begin = Date.now() - 300_000
    await store(bed, new TestNode().heartbeat(device, 1, 1, begin, 95))
    // A device that changed learns its rules again, as after a takeover.
    await bed.owner.query('UPDATE devices SET display_name = $2 WHERE id = $1', [device.id, 'renamed'])
    await ruleSetsOf(parts.worker).refresh()
    await store(bed, new TestNode().heartbeat(device, 1, 2, begin + 60_000, 95))
    expect(await alertsOf(ruleId)).toHaveLength(1)
  })

  it('reads its window again from the stored heartbeats', async () => {
    const device = await oneDevice(bed)
    const begin = Date.now() - 200_000
    const node = new TestNode()
    for (let each = 0; each < 4; each++)
      await store(bed, node.heartbeat(device, 1, each + 1, begin + each * 40_000, 95))
    const conditions =
      '{"kind":"metric","metric":"cpuPercent","operator":"gt","threshold":90,"aggregate":"avg","windowSeconds":100}'
    const ruleId = await cpuRule(device, { conditions: `'${conditions}'` })
    await store(bed, node.heartbeat(device, 1, 5, begin + 160_000, 95))
    expect(await alertsOf(ruleId)).toHaveLength(1)
  })

  it('stores the heartbeats when its alerts cannot be stored', async () => {
    const device = await oneDevice(bed)
    const ruleId = await cpuRule(device)
    await bed.owner.query('ALTER TABLE alert_states RENAME TO alert_states_away')
    await store(bed, new TestNode().heartbeat(device, 1, 1, Date.now() - 2_000, 95))
    await bed.owner.query('ALTER TABLE alert_states_away RENAME TO alert_states')
    const { rows } = await bed.owner.query('SELECT cpu_percent FROM device_state WHERE device_id = $1', [device.id])
    expect(rows).toEqual([{ cpu_percent: 95 }])
    expect(await alertsOf(ruleId)).toEqual([])
  })

  it('opens its alert with the next heartbeat after the alert could not be stored', async () => {
    const device = await oneDevice(bed)
    const ruleId = await cpuRule(device)
    const node = new TestNode()
    await bed.owner.query('ALTER TABLE alerts ADD CONSTRAINT refused CHECK (false) NOT VALID')
    await store(bed, node.heartbeat(device, 1, 1, Date.now() - 2_000, 95))
    await bed.owner.query('ALTER TABLE alerts DROP CONSTRAINT refused')
    expect(await alertsOf(ruleId)).toEqual([])
    await store(bed, node.heartbeat(device, 1, 2, Date.now() - 1_000, 95))
    expect(await alertsOf(ruleId)).toMatchObject([{ status: 'active', occurrences: 1 }])
  })

  it('is evaluated with the first heartbeat that a worker reads', async () => {
    const device = await oneDevice(bed)
    const ruleId = await cpuRule(device)
    const begun = await makeParts(bed)
    const consumer = await startConsumer(begun, 1)
    await new TestNode().heartbeat(device, 1, 1, Date.now() - 2_000, 95).append(bed.redis, 1)
    await untilDrained(bed.redis, 1)
    expect(await alertsOf(ruleId)).toMatchObject([{ status: 'active' }])
    await consumer.stop()
    await begun.close()
  })

  it('is evaluated although it could not be read when its change was noticed', async () => {
    const device = await oneDevice(bed)
    await bed.owner.query('ALTER TABLE alert_rules RENAME COLUMN clear_for_seconds TO away')
    await expect(cpuRule(device)).rejects.toThrow('clear_for_seconds')
    await bed.owner.query('ALTER TABLE alert_rules RENAME COLUMN away TO clear_for_seconds')
    await ruleSetsOf(parts.worker).refresh()
    await store(bed, new TestNode().heartbeat(device, 1, 1, Date.now() - 2_000, 95))
    const { rows } = await bed.owner.query('SELECT status FROM alerts WHERE device_id = $1', [device.id])
    expect(rows).toEqual([{ status: 'active' }])
  })

  it('opens nothing when it was deleted meanwhile', async () => {
    const device = await oneDevice(bed)
    const ruleId = await cpuRule(device)
    await bed.owner.query('DELETE FROM alert_rules WHERE id = $1', [ruleId])
    await store(bed, new TestNode().heartbeat(device, 1, 1, Date.now() - 2_000, 95))
    expect(await alertsOf(ruleId)).toEqual([])
  })
})
