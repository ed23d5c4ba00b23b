import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { deadStream, shardOwner, shardStream, writersGroup } from '@muster/backplane/keys.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { decodeEntries } from '../heartbeats/decode.ts'
import {
  appendEntry,
  type Bed,
  makeDevices,
  makeParts,
  openBed,
  type Parts,
  startConsumer,
  storedOf,
  TestNode,
  until,
  untilDrained,
} from '../testing/bed.ts'
import { boot, oneDevice } from '../testing/fleet.ts'
import type { ShardConsumer } from './consumer.ts'

let bed: Bed
let parts: Parts
const running: ShardConsumer[] = []
let shard = 0

beforeAll(async () => {
  bed = await openBed()
  parts = await makeParts(bed)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((consumer) => consumer.stop()))
  shard++
})
afterAll(async () => {
  await parts?.close()
  await bed?.close()
})

const start = async () => {
  const consumer = await startConsumer(parts, shard)
  running.push(consumer)
  return consumer
}
const unacknowledged = async () => (await bed.redis.xpending(shardStream(shard), writersGroup))[0]
const deadOf = (number: number) => bed.redis.xrangeBuffer(deadStream(number), '-', '+')

describe('a shard consumer', () => {
  it('stores each heartbeat once with figures, tenant and time, and the last one as the state', async () => {
    const device = await oneDevice(bed)
    const bootId = boot()
    const at = Date.now() - 1_000
    const node = new TestNode()
    for (let sequence = 1; sequence <= 5; sequence++) node.heartbeat(device, bootId, sequence, at + sequence, sequence)
    await node.append(bed.redis, shard)
    await start()
    await untilDrained(bed.redis, shard)
    const { rows } = await bed.pool.query(
      `SELECT m.sequence, m.cpu_percent, m.org_id, m.partner_id, m.process_count, m.network_tx_bytes,
        (extract(epoch FROM m.at) * 1000)::float8 AS at FROM device_metrics m WHERE device_id = $1 ORDER BY at`,
      [device.id],
    )
    expect(rows.map((row) => [row.sequence, row.cpu_percent, row.at])).toEqual(
      [1, 2, 3, 4, 5].map((sequence) => [sequence, sequence, at + sequence]),
    )
    expect(rows[0]).toMatchObject({
      org_id: device.orgId,
      partner_id: device.partnerId,
      process_count: 200,
      network_tx_bytes: 2e9,
    })
    const state = await bed.pool.query('SELECT boot_id, sequence, cpu_percent FROM device_state WHERE device_id = $1', [
      device.id,
    ])
    expect(state.rows).toEqual([{ boot_id: bootId, sequence: 5, cpu_percent: 5 }])
    expect(await unacknowledged()).toBe(0)
  })

  it('stores resent, overtaken and repeated heartbeats exactly once, across reads and boots', async () => {
    const devices = await makeDevices(bed, 3)
    const expected: string[] = []
    const [before, after] = [boot(), boot()]
    await start()
    let at = Date.now() - 600_000
    for (const bootId of [before, after, before]) {
      for (let read = 0; read < 6; read++) {
        const node = new TestNode()
        for (const device of devices) {
          if (read === 0) node.connected(device, bootId, ++at)
          for (let n = 0; n < 12; n++) node.heartbeat(device, bootId, randomInt(1, 40), ++at)
        }
        await node.append(bed.redis, shard)
      }
    }
    for (const bootId of [before, after]) {
      const node = new TestNode()
      for (const device of devices)
        for (let sequence = 1; sequence < 40; sequence++) node.heartbeat(device, bootId, sequence, ++at)
      await node.append(bed.redis, shard)
      for (const _ of devices) for (let sequence = 1; sequence < 40; sequence++) expected.push(`${bootId}:${sequence}`)
    }
    await untilDrained(bed.redis, shard)
    expect((await storedOf(bed, devices)).sort()).toEqual(expected.sort())
  })

  it('takes over entries that another worker did not acknowledge, before newer ones', async () => {
    const devices = await makeDevices(bed, 2)
    const bootId = boot()
    await bed.redis.xgroup('CREATE', shardStream(shard), writersGroup, '0', 'MKSTREAM')
    for (let sequence = 1; sequence <= 10; sequence++) {
      const node = new TestNode()
      for (const device of devices) node.heartbeat(device, bootId, sequence)
      await node.append(bed.redis, shard)
    }
    await bed.redis.xreadgroup('GROUP', writersGroup, 'died', 'COUNT', 6, 'STREAMS', shardStream(shard), '>')
    await start()
    await untilDrained(bed.redis, shard)
    expect(await storedOf(bed, devices)).toHaveLength(20)
    expect(await unacknowledged()).toBe(0)
  })

  it('does not repeat a commit whose acknowledgment was lost', async () => {
    const devices = await makeDevices(bed, 2)
    const bootId = boot()
    const stream = shardStream(shard)
    await bed.redis.xgroup('CREATE', stream, writersGroup, '0', 'MKSTREAM')
    const batches: Buffer[] = []
    for (let sequence = 1; sequence <= 3; sequence++) {
      const node = new TestNode()
      for (const device of devices) node.heartbeat(device, bootId, sequence)
      batches.push(node.flush())
    }
    const ids = await Promise.all(batches.map((batch) => appendEntry(bed.redis, shard, batch)))
    await bed.redis.xreadgroup('GROUP', writersGroup, 'died', 'COUNT', 3, 'STREAMS', stream, '>')
    const { KnownDevices } = await import('../heartbeats/known-devices.ts')
    await bed.pool.query('INSERT INTO stream_positions (stream, entry_id) VALUES ($1, $2)', [stream, '0-0'])
    const prepared = await parts.writer.prepare(decodeEntries(batches.slice(0, 2)), new KnownDevices())
    await parts.writer.write([{ ...prepared, step: { stream, from: '0-0', to: ids[1] ?? '' }, verdicts: [] }])
    expect(await storedOf(bed, devices)).toHaveLength(4)
    await start()
    await untilDrained(bed.redis, shard)
    expect(await storedOf(bed, devices)).toHaveLength(6)
  })

  it('makes an entry a dead letter that fails alone five times, and stores its neighbors', async () => {
    const device = await oneDevice(bed)
    const bootId = boot()
    await new TestNode().heartbeat(device, bootId, 1).append(bed.redis, shard)
    const bad = await appendEntry(bed.redis, shard, Buffer.from('no batch at all'))
    await new TestNode().heartbeat(device, bootId, 2).append(bed.redis, shard)
    await start()
    await untilDrained(bed.redis, shard)
    expect(await storedOf(bed, [device])).toEqual([`${bootId}:1`, `${bootId}:2`])
    const [[, fields] = [undefined, []], ...others] = await deadOf(shard)
    expect(others).toEqual([])
    expect(fields.map(String)).toEqual(
      expect.arrayContaining(['b', 'no batch at all', 'error', 'from', bad, 'tries', '5']),
    )
  })

  it('makes a malformed frame a dead letter, stores the rest of its batch, and stores it once after a repaired replay', async () => {
    const device = await oneDevice(bed)
    const bootId = boot()
    const frame = Buffer.from([0x93, 33, 2, 0xc1])
    const node = new TestNode().heartbeat(device, bootId, 1).record(33, device, bootId, 2, Date.now(), frame)
    await node.heartbeat(device, bootId, 3).append(bed.redis, shard)
    await start()
    await untilDrained(bed.redis, shard)
    expect(await storedOf(bed, [device])).toEqual([`${bootId}:1`, `${bootId}:3`])
    expect(await deadOf(shard)).toHaveLength(1)
    for (let again = 0; again < 2; again++)
      await new TestNode().heartbeat(device, bootId, 2, Date.now() - 5_000).append(bed.redis, shard)
    await untilDrained(bed.redis, shard)
    expect((await storedOf(bed, [device])).sort()).toEqual([`${bootId}:1`, `${bootId}:2`, `${bootId}:3`])
  })

  it('drops records of a deleted device', async () => {
    const devices = await makeDevices(bed, 2)
    const [gone, stays] = devices
    if (gone === undefined || stays === undefined) throw new Error('no devices')
    const bootId = boot()
    await start()
    await new TestNode().heartbeat(gone, bootId, 1).heartbeat(stays, bootId, 1).append(bed.redis, shard)
    await untilDrained(bed.redis, shard)
    await bed.owner.query('DELETE FROM devices WHERE id = $1', [gone.id])
    const never = { ...gone, bytes: Uint8Array.from({ length: 16 }, () => 7) }
    for (let sequence = 2; sequence <= 3; sequence++)
      await new TestNode()
        .heartbeat(gone, bootId, sequence)
        .connected(never, bootId)
        .heartbeat(stays, bootId, sequence)
        .append(bed.redis, shard)
    await untilDrained(bed.redis, shard)
    expect(await storedOf(bed, [stays])).toHaveLength(3)
    expect(await storedOf(bed, [gone, never])).toHaveLength(1)
    expect(await deadOf(shard)).toEqual([])
  })

  it('continues after its consumer group was removed', async () => {
    const device = await oneDevice(bed)
    const bootId = boot()
    await start()
    await new TestNode().heartbeat(device, bootId, 1).append(bed.redis, shard)
    await untilDrained(bed.redis, shard)
    await bed.redis.xgroup('DESTROY', shardStream(shard), writersGroup)
    await new TestNode().heartbeat(device, bootId, 2).append(bed.redis, shard)
    await untilDrained(bed.redis, shard)
    expect(await storedOf(bed, [device])).toEqual([`${bootId}:1`, `${bootId}:2`])
    expect(parts.forgotten.length).toBeGreaterThan(0)
  })

  it('reads a stream from its start that Redis lost and created again with an earlier clock', async () => {
    const device = await oneDevice(bed)
    const bootId = boot()
    const first = await start()
    await new TestNode().heartbeat(device, bootId, 1).append(bed.redis, shard)
    await untilDrained(bed.redis, shard)
    await first.stop()
    await bed.redis.del(shardStream(shard))
    const batch = new TestNode().heartbeat(device, bootId, 2).flush()
    await bed.redis.xadd(shardStream(shard), '1000-0', 'b', batch)
    await start()
    await untilDrained(bed.redis, shard)
    expect(await storedOf(bed, [device])).toEqual([`${bootId}:1`, `${bootId}:2`])
  })

  it('ends when another worker has the lease, without reading its entries', async () => {
    const device = await oneDevice(bed)
    const consumer = await start()
    await until(
      'the group',
      () => bed.redis.exists(shardStream(shard)),
      (found) => found === 1,
    )
    await bed.redis.set(shardOwner(shard), randomUUID())
    await new TestNode().heartbeat(device, boot(), 1).append(bed.redis, shard)
    await consumer.ended
    expect(await unacknowledged()).toBe(0)
    expect(await bed.redis.xlen(shardStream(shard))).toBe(1)
  })

  it('loses and repeats nothing when its connections to both stores fail repeatedly', {
    timeout: 120_000,
  }, async () => {
    const devices = await makeDevices(bed, 20)
    const bootId = boot()
    await start()
    const cuts = { postgres: 0, redis: 0 }
    const own = `db=${new URL(bed.redisUrl).pathname.slice(1)} `
    const cut = async () => {
      const { rowCount } = await bed.owner.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'worker-test'`,
      )
      cuts.postgres += rowCount ?? 0
      for (const line of String(await bed.redis.client('LIST')).split('\n')) {
        if (!/ name=worker-test-(blocking|commands) /.test(line) || !line.includes(` ${own}`)) continue
        await bed.redis.client('KILL', 'ID', line.slice(3, line.indexOf(' ')))
        cuts.redis++
      }
    }
    let sequence = 0
    while (cuts.postgres < 6 || cuts.redis < 6) {
      const node = new TestNode()
      sequence++
      for (const device of devices) node.heartbeat(device, bootId, sequence)
      await node.append(bed.redis, shard)
      await pause(10)
      if (sequence % 8 === 0) await cut()
    }
    await untilDrained(bed.redis, shard, 20_000)
    const stored = await storedOf(bed, devices)
    expect(stored).toHaveLength(20 * sequence)
    expect(new Set(stored).size).toBe(sequence)
    expect(await deadOf(shard)).toEqual([])
  })

  it('makes only the entry a dead letter that crashed every worker that took it over', async () => {
    const device = await oneDevice(bed)
    const bootId = boot()
    const stream = shardStream(shard)
    await bed.redis.xgroup('CREATE', stream, writersGroup, '0', 'MKSTREAM')
    const ids: string[] = []
    for (let sequence = 1; sequence <= 3; sequence++)
      ids.push(await new TestNode().heartbeat(device, bootId, sequence).append(bed.redis, shard))
    await bed.redis.xreadgroup('GROUP', writersGroup, 'died', 'COUNT', 3, 'STREAMS', stream, '>')
    await bed.redis.hset(`takeovers:{${shard}}`, ids[0] ?? '', 6, ids[1] ?? '', 20, ids[2] ?? '', 6)
    await start()
    await untilDrained(bed.redis, shard)
    expect(await storedOf(bed, [device])).toEqual([`${bootId}:1`, `${bootId}:3`])
    expect(await deadOf(shard)).toHaveLength(1)
  })
})
