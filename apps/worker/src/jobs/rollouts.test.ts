// Case U6: a rollout of a bad version halts in its first ring. The agents are simulated through Redis: orders arrive in the
// stream of a gateway, and reports enter the stream of a shard.
import { randomInt } from 'node:crypto'
import { workerSignerOf } from '@muster/areas/control/commands/delivery/order-signer.ts'
import { offerUpdates } from '@muster/areas/control/rollouts/offers.jobs.ts'
import { shardOf } from '@muster/backplane/device-id.ts'
import { downStream, nodeLease, ordersField, presenceHash, presenceShards } from '@muster/backplane/keys.ts'
import { decodeOrders } from '@muster/backplane/routing.ts'
import { opened } from '@muster/testkit/down-messages.ts'
import type { Update } from '@muster/wire/messages/update.ts'
import type { UpdateStatus } from '@muster/wire/messages/update-status.ts'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeDevices, type TestDevice, TestNode, untilDrained, withConsumer } from '../testing/bed.ts'

// Two versions, because a worker remembers the version of each device.
const [bad, version] = ['1.9.0', '2.0.0']
const fleetSize = 2_000
const publicUrl = 'http://127.0.0.1:3000'

const { bed, parts } = await withConsumer()
let fleet: TestDevice[]
const node = new TestNode()
let sequence = 0

beforeAll(async () => {
  fleet = await makeDevices(bed, fleetSize)
  await bed.owner.query(
    `INSERT INTO agent_versions (version, os, arch, source, sha256, size, candidate) SELECT version, 'linux', 'x64', 'local', $2, 7, false FROM unnest($1::text[]) version`,
    [[bad, version], 'a'.repeat(64)],
  )
  await bed.redis.set(nodeLease(node.id), '1')
  for (const { id } of fleet) await bed.redis.hset(presenceHash(shardOf(id, presenceShards)), id, `${node.id}:1`)
})
beforeEach(async () => {
  await bed.owner.query(`DELETE FROM device_updates; DELETE FROM agent_rollouts; DELETE FROM agent_version_pins;
    UPDATE agent_update_stop SET stopped = false;
    UPDATE device_state SET status = 'online';
    UPDATE devices SET os_type = 'linux', architecture = 'x86_64', agent_version = '1.0.0', auto_update = true`)
  await bed.redis.del(downStream(node.id))
})

const signer = workerSignerOf(parts.worker)
const begin = async (settings: { version?: string; stages?: number[]; stageSeconds?: number } = {}) => {
  const { stages = [1, 10, 50, 100], stageSeconds = 0 } = settings
  const { rows } = await bed.owner.query<{ id: string }>(
    `INSERT INTO agent_rollouts (version, stages, success_percent, error_percent, stage_seconds) VALUES ($1, $2, 95, 2, $3) RETURNING id`,
    [settings.version ?? version, stages, stageSeconds],
  )
  return rows[0]?.id ?? ''
}
const turn = () => offerUpdates({ pool: bed.pool, redis: parts.redis, signer, log: parts.log, publicUrl })
const rolloutNow = async () =>
  (
    await bed.owner.query<{ state: string; stage: number; reason: string | null }>(
      'SELECT state, stage, reason FROM agent_rollouts',
    )
  ).rows[0]
const touched = async () =>
  (await bed.owner.query<{ id: string }>('SELECT device_id AS id FROM device_updates ORDER BY 1')).rows.map(
    ({ id }) => id,
  )

/** What the devices have been sent since the last time. */
async function sent(): Promise<Map<string, Update>> {
  const entries = await bed.redis.xrangeBuffer(downStream(node.id), '-', '+')
  await bed.redis.del(downStream(node.id))
  const offers = new Map<string, Update>()
  for (const [, [field, value]] of entries) {
    if (String(field) !== ordersField || value === undefined) continue
    for (const order of decodeOrders(value)) {
      if (order.kind !== 'frame') continue
      const message = opened(order.bytes)
      if (message?.name === 'update') offers.set(order.deviceId, message.body)
    }
  }
  return offers
}

/** Every device that was offered the version installs it; those that are to fail go back and bar it. */
async function answer(offers: ReadonlyMap<string, Update>, fails: (id: string) => boolean): Promise<void> {
  const boot = randomInt(1, 2 ** 40)
  const say = (device: TestDevice, body: UpdateStatus) =>
    node.message(device, boot, { name: 'updateStatus', sequence: ++sequence, body })
  for (const device of fleet) {
    const offer = offers.get(device.id)
    if (offer === undefined) continue
    const about = { version: offer.version, fromVersion: '1.0.0' }
    say(device, { ...about, state: 'restarting' })
    if (fails(device.id)) {
      say(device, { ...about, state: 'rolled_back', reason: 'no_heartbeat', barred: [offer.version] })
      continue
    }
    node.connected(device, boot, Date.now(), { agentVersion: offer.version })
    say(device, { ...about, state: 'confirmed' })
  }
  if (offers.size === 0) return
  await node.append(bed.redis, 0)
  await untilDrained(bed.redis, 0, 60_000)
}

describe('a version that goes out to 2,000 devices', () => {
  it('halts when one in twenty of its first ring fails, before any device outside that ring', {
    timeout: 120_000,
  }, async () => {
    await begin({ version: bad })
    expect(await turn()).toBeGreaterThan(5)
    const ring = await sent()
    expect(ring.size).toBeLessThan(fleetSize / 20)
    const failing = new Set([...ring.keys()].slice(0, Math.ceil(ring.size / 20)))
    await answer(ring, (id) => failing.has(id))
    expect(await turn()).toBe(0)
    expect(await rolloutNow()).toMatchObject({
      state: 'halted',
      stage: 1,
      reason: `${failing.size} of ${ring.size} devices failed to update`,
    })
    for (let times = 0; times < 3; times++) expect(await turn()).toBe(0)
    expect(await touched()).toEqual([...ring.keys()].sort())
    expect((await sent()).size).toBe(0)
    const { rows } = await bed.owner.query(
      `SELECT resource_name, actor_type FROM audit_logs WHERE action = 'agent_rollout.halt'`,
    )
    expect(rows).toEqual([{ resource_name: bad, actor_type: 'system' }])
  })

  it('reaches all devices ring by ring when it is good, with the same devices in each ring', {
    timeout: 120_000,
  }, async () => {
    const id = await begin()
    const sizes: number[] = []
    for (let turns = 0; turns < 40 && (await rolloutNow())?.state === 'running'; turns++) {
      await turn()
      const offers = await sent()
      for (const offer of offers.values())
        expect(offer).toMatchObject({
          version,
          rolloutId: id,
          target: `${version}/linux-x64/muster-agent`,
          metadataUrl: `${publicUrl}/api/v1/agents/releases/metadata`,
          url: `${publicUrl}/api/v1/agents/releases/targets/${version}/linux-x64/${'a'.repeat(64)}.muster-agent`,
        })
      if (offers.size > 0) sizes.push(offers.size)
      await answer(offers, () => false)
    }
    const { rows: ends } = await bed.owner.query(
      `SELECT u.state, u.rollout_id = $1 AS mine, d.agent_version, s.status, count(*)::int AS devices FROM devices d
       LEFT JOIN device_updates u ON u.device_id = d.id JOIN device_state s ON s.device_id = d.id GROUP BY 1, 2, 3, 4`,
      [id],
    )
    expect(ends).toEqual([
      { state: 'confirmed', mine: true, agent_version: version, status: 'online', devices: fleetSize },
    ])
    expect(await rolloutNow()).toMatchObject({ state: 'completed', stage: 4 })
    expect(sizes.reduce((sum, size) => sum + size)).toBe(fleetSize)
    expect(sizes[0]).toBeLessThan(fleetSize / 20)
  })
})

describe('offers', () => {
  it('reach the same first ring when a rollout is started repeatedly', async () => {
    const reached: string[][] = []
    for (let times = 0; times < 3; times++) {
      await begin()
      await turn()
      reached.push([...(await sent()).keys()].sort())
      await bed.owner.query(`UPDATE agent_rollouts SET state = 'cancelled'`)
    }
    expect(reached[0]?.length).toBeGreaterThan(5)
    expect(reached.slice(1)).toEqual([reached[0], reached[0]])
    expect(await touched()).toEqual(reached[0])
  })

  const all = { stages: [100], stageSeconds: 3_600 }

  it('U8: skip devices that must not get the version', async () => {
    const [off, newer, other, offline, barred, plain] = fleet
    await begin(all)
    const set = (device: TestDevice | undefined, change: string) =>
      bed.owner.query(`UPDATE devices SET ${change} WHERE id = $1`, [device?.id])
    await set(off, 'auto_update = false')
    await set(newer, `agent_version = '2.0.1'`)
    await set(other, `os_type = 'windows'`)
    await bed.owner.query(`UPDATE device_state SET status = 'offline' WHERE device_id = $1`, [offline?.id])
    const row = [barred?.id, barred?.orgId, barred?.partnerId, [version]]
    await bed.owner.query(
      `INSERT INTO device_updates (device_id, org_id, partner_id, version, barred) VALUES ($1, $2, $3, '1.0.0', $4)`,
      row,
    )
    while ((await turn()) > 0);
    const offers = await sent()
    for (const device of [off, newer, other, offline, barred]) expect(offers.has(device?.id ?? '')).toBe(false)
    expect(offers.has(plain?.id ?? '')).toBe(true)
    expect(offers.size).toBe(fleetSize - 5)
  })

  it('follow pins: group before site, site before organization', async () => {
    const [first] = fleet
    await begin(all)
    const pin = (what: { siteId?: string | undefined; groupId?: string | undefined; version: string | null }) =>
      bed.owner.query(
        `INSERT INTO agent_version_pins (org_id, partner_id, site_id, group_id, version) VALUES ($1, $2, $3, $4, $5)`,
        [first?.orgId, first?.partnerId, what.siteId ?? null, what.groupId ?? null, what.version],
      )
    await pin({ version: null })
    expect(await turn()).toBe(0)
    await pin({ siteId: first?.siteId, version: '1.9.0' })
    expect(await turn()).toBe(0)
    await bed.owner.query('UPDATE agent_version_pins SET version = $1 WHERE site_id IS NOT NULL', [version])
    const { rows: made } = await bed.owner.query<{ id: string }>(
      `WITH made AS (INSERT INTO device_groups (org_id, partner_id, name) VALUES ($1, $2, 'Held back') RETURNING id, org_id, partner_id)
       , members AS (INSERT INTO device_group_members (group_id, device_id, org_id, partner_id) SELECT id, $3, org_id, partner_id FROM made)
       SELECT id FROM made`,
      [first?.orgId, first?.partnerId, first?.id],
    )
    await pin({ groupId: made[0]?.id, version: null })
    while ((await turn()) > 0);
    const offers = await sent()
    expect([offers.size, offers.has(first?.id ?? '')]).toEqual([fleetSize - 1, false])
  })

  it('U8: skip devices while a maintenance window holds updates back, and reach them after it', async () => {
    const [held] = fleet
    await begin(all)
    const { rows } = await bed.owner.query<{ id: string }>(
      `WITH made AS (INSERT INTO target_sets (partner_id, everything, device_ids) VALUES ($1, false, ARRAY[$2::uuid]) RETURNING id, partner_id),
        w AS (INSERT INTO maintenance_windows (partner_id, name, starts_at, timezone, duration_minutes, effects, target_set_id, scheduled_until)
          SELECT partner_id, 'Freeze', '2026-01-01T00:00', 'UTC', 60, '{"agentUpdates": "suppress"}', id, now() + interval '1 year' FROM made
          RETURNING id, partner_id)
       INSERT INTO maintenance_occurrences (window_id, partner_id, timezone, local_start, starts_at, ends_at)
       SELECT id, partner_id, 'UTC', '2026-01-01T00:00', now(), now() + interval '1 hour' FROM w RETURNING id`,
      [held?.partnerId, held?.id],
    )
    while ((await turn()) > 0);
    expect((await sent()).has(held?.id ?? '')).toBe(false)
    await bed.owner.query('UPDATE maintenance_occurrences SET ends_at = now() WHERE id = $1', [rows[0]?.id])
    while ((await turn()) > 0);
    expect((await sent()).has(held?.id ?? '')).toBe(true)
  })

  it('U8: end at once with the emergency stop, and when the rules cannot be read', async () => {
    await begin(all)
    await bed.owner.query('UPDATE agent_update_stop SET stopped = true')
    expect(await turn()).toBe(0)
    await bed.owner.query(
      'UPDATE agent_update_stop SET stopped = false; ALTER TABLE agent_version_pins RENAME TO hidden_pins',
    )
    await expect(turn()).rejects.toThrow('agent_version_pins')
    await bed.owner.query(
      'ALTER TABLE hidden_pins RENAME TO agent_version_pins; ALTER TABLE agent_update_stop RENAME TO hidden_stop',
    )
    await expect(turn()).rejects.toThrow('agent_update_stop')
    await bed.owner.query('ALTER TABLE hidden_stop RENAME TO agent_update_stop')
    expect(await touched()).toEqual([])
    expect(await turn()).toBeGreaterThan(0)
  })

  it('U9: are repeated with growing delays to a device that does not update, up to a day', async () => {
    const id = await begin(all)
    const [device] = fleet
    await bed.owner.query(`UPDATE device_state SET status = 'offline' WHERE device_id <> $1`, [device?.id])
    const waits: number[] = []
    for (let offers = 0; offers < 16; offers++) {
      expect(await turn()).toBe(1)
      expect(await turn()).toBe(0)
      const { rows } = await bed.owner.query<{ seconds: number }>(
        `UPDATE device_updates SET next_offer_at = now() WHERE device_id = $1 AND rollout_id = $2
         RETURNING extract(epoch FROM (SELECT o.next_offer_at - o.offered_at FROM device_updates o WHERE o.device_id = $1))::float8 AS seconds`,
        [device?.id, id],
      )
      waits.push(Math.round(rows[0]?.seconds ?? 0))
    }
    expect(waits.slice(0, 6)).toEqual([60, 60, 60, 120, 240, 480])
    expect(waits.at(-1)).toBe(86_400)
  })
})
