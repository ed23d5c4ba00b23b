import { recordKinds } from '@muster/backplane/batch.ts'
import { shardOf } from '@muster/backplane/device-id.ts'
import { unpack } from '@muster/backplane/pack.ts'
import { holdersOf } from '@muster/backplane/presence.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { nodesOf } from '@muster/backplane/routing.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { encodeFrame } from '@muster/wire/frame.ts'
import { encodeHeartbeat } from '@muster/wire/heartbeat-frame.ts'
import { encodeUp } from '@muster/wire/up.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from './testing/client.ts'
import { createFleet, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'
import { readRecords, recordsOf } from './testing/stream.ts'
import { until } from './testing/until.ts'

const shards = 4
let redis: OwnRedis
let commands: Redis
let fleet: Fleet
let node: Node

beforeAll(async () => {
  redis = await startOwnRedis({ durable: true })
  commands = connectRedis(redis.url, 'test')
  await untilReady(commands, 10_000)
  fleet = createFleet()
  node = await startNode(redis.url, fleet)
})
afterAll(async () => {
  await node?.stop()
  commands?.disconnect()
  await redis?.stop()
  fleet?.remove()
})

describe('frames', () => {
  test('are appended unchanged to the shard of their device, with boot ID, sequence and receive time', async () => {
    const devices = Array.from({ length: 12 }, () => fleet.enroll())
    const before = Date.now()
    const bootId = 2 ** 47 + 5
    for (const device of devices) {
      const client = await Client.welcomed(node.port, device, { bootId })
      client.heartbeat(1)
      client.send(encodeUp({ name: 'updateStatus', sequence: 2 ** 40, body: { version: '2', state: 'verifying' } }))
      await client.next('ack')
      await client.next('ack')
      client.close()
    }
    for (const { deviceId } of devices) {
      const [connected, first, second, disconnected] = await recordsOf(commands, shards, deviceId, 4)
      expect(connected).toMatchObject({ kind: recordKinds.connected, bootId, nodeId: node.nodeId, sequence: 0 })
      expect(unpack(connected?.payload ?? new Uint8Array(0))).toMatchObject({
        agentVersion: '1.0.0',
        role: 'agent',
        gen: 1,
        remoteAddress: expect.stringContaining('127.0.0.1'),
        certificateExpiresAt: expect.any(Number),
      })
      expect(first).toMatchObject({ kind: 33, bootId, sequence: 1, shard: shardOf(deviceId, shards) })
      expect(first?.payload).toEqual(Buffer.from(encodeHeartbeat(1, [12.5, 1e9, 2e9, 3e9, 4e9, 0.5, 1000, 5, 6, 70])))
      expect(first?.receivedAtMs).toBeGreaterThanOrEqual(before)
      expect(second).toMatchObject({ kind: 37, bootId, sequence: 2 ** 40 })
      expect(disconnected).toMatchObject({ kind: recordKinds.disconnected, bootId })
    }
  })

  test('follow a connection record that says what the agent can do, if it said so', async () => {
    const [telling, silent] = [fleet.enroll(), fleet.enroll()]
    const recordOf = async (device: typeof telling, capabilities?: string) => {
      const client = await Client.welcomed(node.port, device, { capabilities })
      const [record] = await recordsOf(commands, shards, device.deviceId, 1)
      client.close()
      return unpack(record?.payload ?? new Uint8Array(0))
    }
    expect(await recordOf(telling, '++tpn')).toMatchObject({ capabilities: '++tpn' })
    expect(await recordOf(silent)).not.toHaveProperty('capabilities')
  })

  test('of the maximum size are accepted', async () => {
    const device = fleet.enroll()
    const client = await Client.welcomed(node.port, device)
    const frame = encodeFrame(36, 1, 'x'.repeat(1024 * 1024 - 20))
    client.send(frame)
    expect((await client.next('ack')).sequence).toBe(1)
    const records = await recordsOf(commands, shards, device.deviceId, 2)
    expect(records.find((record) => record.kind === 36)?.payload.length).toBe(frame.length)
    client.close()
  })
})

test('acknowledges the frame that fills a batch together with the batch', async () => {
  const eager = await startNode(redis.url, fleet, { limits: { batchRecords: 1, heartbeatBatchMs: 600_000 } })
  const client = await Client.welcomed(eager.port, fleet.enroll())
  client.heartbeat(1)
  expect((await client.next('ack')).sequence).toBe(1)
  client.close()
  await eager.stop()
})

describe('while Redis is unreachable', () => {
  test('acknowledges nothing, closes no connection, and appends the buffered frames in order afterward', async () => {
    const device = fleet.enroll()
    const client = await Client.welcomed(node.port, device)
    client.heartbeat(1)
    await client.next('ack')
    const frames = await node.metric('muster_ingest_frames_total', 'type="heartbeat"')
    await redis.kill()
    for (let sequence = 2; sequence <= 20; sequence++) client.heartbeat(sequence)
    await until(async () => (await node.metric('muster_ingest_frames_total', 'type="heartbeat"')) >= frames + 19)
    expect(client.received).toEqual([])
    const backAt = performance.now()
    await redis.restart()
    for (let sequence = 2; sequence <= 20; sequence++) expect((await client.next('ack')).sequence).toBe(sequence)
    expect(performance.now() - backAt).toBeLessThan(5_000)
    await untilReady(commands, 10_000)
    const stored = (await recordsOf(commands, shards, device.deviceId, 21)).filter((record) => record.kind === 33)
    expect([...new Set(stored.map((record) => record.sequence))]).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
    client.close()
  })

  test('welcomes new agents and publishes their presence afterward', async () => {
    const device = fleet.enroll()
    await redis.kill()
    const client = await Client.welcomed(node.port, device)
    await redis.restart()
    await untilReady(commands, 10_000)
    const records = await recordsOf(commands, shards, device.deviceId, 1)
    expect(records[0]?.kind).toBe(recordKinds.connected)
    client.close()
  })

  test('reports a disconnect again when presence is released, which workers compare it with', async () => {
    const device = fleet.enroll()
    const client = await Client.welcomed(node.port, device)
    await until(async () => (await nodesOf(commands, [device.deviceId])).size === 1)
    await redis.kill()
    client.close()
    await client.closed
    await redis.restart()
    await untilReady(commands, 10_000)
    await until(async () => (await holdersOf(commands, [device.deviceId])).size === 0)
    const [connected, ...ends] = await recordsOf(commands, shards, device.deviceId, 3)
    expect(connected?.kind).toBe(recordKinds.connected)
    expect(ends.map(({ kind }) => kind)).toEqual([recordKinds.disconnected, recordKinds.disconnected])
    expect(ends[1]).toEqual(ends[0])
  })

  test('keeps every acknowledged frame across a crash of Redis', async () => {
    const clients = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const device = fleet.enroll()
        return { device, client: await Client.welcomed(node.port, device) }
      }),
    )
    for (let sequence = 1; sequence <= 30; sequence++) for (const { client } of clients) client.heartbeat(sequence)
    await Promise.all(clients.map(({ client }) => client.next('ack')))
    await redis.kill()
    const acknowledged = clients.map(({ device, client }) => ({
      device,
      sequences: client.received.flatMap((message) => (message.name === 'ack' ? [message.sequence] : [])),
    }))
    await redis.restart()
    await untilReady(commands, 10_000)
    const stored = new Set(
      (await readRecords(commands, shards)).map((record) => `${record.deviceId} ${record.sequence}`),
    )
    for (const { device, sequences } of acknowledged)
      for (const sequence of sequences) expect(stored).toContain(`${device.deviceId} ${sequence}`)
    for (const { client } of clients) client.close()
  })
})

test('treats a Redis that is out of memory as unreachable', async () => {
  const client = await Client.welcomed(node.port, fleet.enroll())
  await commands.config('SET', 'maxmemory', '1mb')
  const failures = await node.metric('muster_ingest_append_failures_total')
  client.heartbeat(1)
  await until(async () => (await node.metric('muster_ingest_append_failures_total')) !== failures)
  expect(client.received).toEqual([])
  await commands.config('SET', 'maxmemory', '0')
  expect((await client.next('ack')).sequence).toBe(1)
  client.close()
})

test('bounds the buffer while Redis is unreachable: further frames are shed, unacknowledged and counted', async () => {
  const small = await startNode(redis.url, fleet, { limits: { unsentBytesMax: 2_000, unsentEventBytesExtra: 1_000 } })
  const client = await Client.welcomed(small.port, fleet.enroll())
  client.heartbeat(1)
  await client.next('ack')
  await redis.kill()
  for (let sequence = 2; sequence <= 40; sequence++) client.heartbeat(sequence)
  await until(async () => (await small.metric('muster_ingest_frames_total', 'type="heartbeat"')) >= 40)
  expect(await small.metric('muster_ingest_unsent_bytes')).toBeLessThanOrEqual(3_000)
  const shed = await small.metric('muster_ingest_frames_shed_total')
  expect(shed).toBeGreaterThan(10)
  // Events beyond their bound are dropped as well; a complete announcement follows when Redis is back.
  for (let time = 0; time < 12; time++) (await Client.welcomed(small.port, fleet.enroll())).close()
  expect(await small.metric('muster_ingest_events_lost_total')).toBeGreaterThan(0)
  await redis.restart()
  for (let sequence = 2; sequence <= 40 - shed; sequence++) expect((await client.next('ack')).sequence).toBe(sequence)
  client.heartbeat(41)
  expect((await client.next('ack')).sequence).toBe(41)
  await until(async () => (await small.metric('muster_ingest_announcements_total')) > 0)
  client.close()
  await small.stop()
})
