import { randomUUID } from 'node:crypto'
import { recordKinds } from '@muster/backplane/batch.ts'
import { publishGeneration } from '@muster/backplane/generations.ts'
import { generationsKey, nodeLease, nodesKey, revokedGeneration } from '@muster/backplane/keys.ts'
import { unpack } from '@muster/backplane/pack.ts'
import { forgetNodePresence, holdersOf, takePresence } from '@muster/backplane/presence.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { nodesOf, sendToDevices, sendToNode } from '@muster/backplane/routing.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { commandMessage } from '@muster/testkit/down-messages.ts'
import { closeCodes } from '@muster/wire/close-codes.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Client } from './testing/client.ts'
import { createFleet, type Device, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'
import { orderFrame } from './testing/orders.ts'
import { readRecords, recordsOf } from './testing/stream.ts'
import { until } from './testing/until.ts'

const shards = 4
const Sent = z.object({ commandId: z.string() })
let redis: OwnRedis
let commands: Redis
let fleet: Fleet
let [first, second]: Node[] = []

beforeAll(async () => {
  redis = await startOwnRedis()
  commands = connectRedis(redis.url, 'test')
  await untilReady(commands, 10_000)
  fleet = createFleet()
  first = await startNode(redis.url, fleet)
  second = await startNode(redis.url, fleet)
})
afterAll(async () => {
  await first?.stop()
  await second?.stop()
  commands?.disconnect()
  await redis?.stop()
  fleet?.remove()
})

function nodes(): [Node, Node] {
  if (first === undefined || second === undefined) throw new Error('The nodes did not start')
  return [first, second]
}

async function present(deviceId: string): Promise<void> {
  await until(async () => (await nodesOf(commands, [deviceId])).size === 1)
}

const plainCommand = (id: string) => encodeDown(commandMessage({ id, type: 'refresh_inventory' }))
const commandFrame = (deviceId: string, id: string) => orderFrame(deviceId, plainCommand(id))

describe('a frame for a device', () => {
  test('reaches its socket on any node and is reported as sent', async () => {
    for (const node of nodes()) {
      const device = fleet.enroll()
      const client = await Client.welcomed(node.port, device)
      await present(device.deviceId)
      const commandId = randomUUID()
      const order = {
        kind: 'frame',
        deviceId: device.deviceId,
        bytes: commandFrame(device.deviceId, commandId),
        commandId,
      } as const
      expect(await sendToDevices(commands, [order])).toEqual({ offline: [] })
      expect((await client.next('command')).body.id).toBe(commandId)
      const sent = (await recordsOf(commands, shards, device.deviceId, 2)).find(
        (record) => record.kind === recordKinds.sent,
      )
      expect(unpack(sent?.payload ?? new Uint8Array(0))).toEqual({ commandId })
      client.close()
    }
  })

  test('for a device without a connection is reported as offline', async () => {
    const deviceId = randomUUID()
    const order = { kind: 'frame', deviceId, bytes: commandFrame(deviceId, randomUUID()) } as const
    expect(await sendToDevices(commands, [order])).toEqual({ offline: [deviceId] })
  })

  test('for a device of a dead node is reported as offline', async () => {
    const deviceId = randomUUID()
    await takePresence(commands, [{ field: deviceId, node: 'dead', connection: 1 }])
    const order = { kind: 'frame', deviceId, bytes: commandFrame(deviceId, randomUUID()) } as const
    expect(await sendToDevices(commands, [order])).toEqual({ offline: [deviceId] })
  })

  test('is delivered in order with ten thousand others of its tenant, among those of other tenants', async () => {
    const alone = await startNode(redis.url, fleet, { settings: { STREAM_SHARDS: '1' } })
    const many = fleet.enroll()
    const one = fleet.enroll()
    const clients = [await Client.welcomed(alone.port, many), await Client.welcomed(alone.port, one)]
    await Promise.all([present(many.deviceId), present(one.deviceId)])
    const orderFor = ({ deviceId }: Device) => {
      const commandId = randomUUID()
      return { kind: 'frame' as const, deviceId, bytes: commandFrame(deviceId, commandId), commandId }
    }
    const flood = Array.from({ length: 10_000 }, () => orderFor(many))
    const single = orderFor(one)
    await sendToDevices(commands, flood, 'one tenant')
    await sendToDevices(commands, [single], 'another')
    // All records are in one shard, in the order in which the frames were sent.
    let sent: string[] = []
    await until(async () => {
      const records = (await readRecords(commands, 1)).filter(({ nodeId }) => nodeId === alone.nodeId)
      sent = records
        .filter(({ kind }) => kind === recordKinds.sent)
        .map(({ payload }) => Sent.parse(unpack(payload)).commandId)
      return sent.length === flood.length + 1
    })
    expect(sent.filter((id) => id !== single.commandId)).toEqual(flood.map(({ commandId }) => commandId))
    for (const client of clients) client.close()
    await alone.stop()
  }, 120_000)

  test('for a device that left meanwhile is reported as refused', async () => {
    const [node] = nodes()
    const [deviceId, commandId] = [randomUUID(), randomUUID()]
    await sendToNode(commands, node.nodeId, [
      { kind: 'frame', deviceId, bytes: commandFrame(deviceId, commandId), commandId },
    ])
    const [refused] = await recordsOf(commands, shards, deviceId, 1)
    expect(refused?.kind).toBe(recordKinds.refused)
    expect(unpack(refused?.payload ?? new Uint8Array(0))).toMatchObject({ commandId })
  })

  test('reaches a thousand devices at once', async () => {
    const [node] = nodes()
    const devices = Array.from({ length: 60 }, () => fleet.enroll())
    const clients = await Promise.all(devices.map((device) => Client.welcomed(node.port, device)))
    await Promise.all(devices.map((device) => present(device.deviceId)))
    const orders = Array.from({ length: 1200 }, (_, index) => {
      const [deviceId, commandId] = [devices[index % devices.length]?.deviceId ?? '', randomUUID()]
      return { kind: 'frame' as const, deviceId, bytes: commandFrame(deviceId, commandId), commandId }
    })
    expect((await sendToDevices(commands, orders)).offline).toEqual([])
    for (const client of clients) for (let count = 0; count < 20; count++) await client.next('command')
    for (const client of clients) client.close()
  })
})

describe('an order that came through Redis', () => {
  const pairs: [string, (deviceId: string) => Uint8Array, object?][] = [
    ['a command without a signature', () => plainCommand(randomUUID()), { commandId: randomUUID() }],
    ['a command that is not declared as one', (deviceId) => commandFrame(deviceId, randomUUID())],
    ['an order for another device', () => commandFrame(randomUUID(), randomUUID()), { commandId: randomUUID() }],
    ['an offer without a signature', () => updateFrame()],
    ['a welcome', () => encodeDown({ name: 'retry', sequence: 0, body: { afterMs: 1, reason: 'x' } })],
    [
      'a certificate without a signature',
      () => encodeDown({ name: 'certificate', sequence: 0, body: { certificate: 'a' } }),
    ],
    [
      'an order inside an order',
      (deviceId) => orderFrame(deviceId, commandFrame(deviceId, randomUUID())),
      { commandId: randomUUID() },
    ],
    ['no frame at all', () => Buffer.from('rubbish')],
  ]
  test.each(pairs)('that is %s is not sent', async (_what, make, more = {}) => {
    const [node] = nodes()
    const device = fleet.enroll()
    const client = await Client.welcomed(node.port, device)
    await present(device.deviceId)
    const before = await node.metric('muster_ingest_orders_unfit_total')
    const { deviceId } = device
    const commandId = randomUUID()
    await sendToDevices(commands, [
      { kind: 'frame', deviceId, bytes: make(deviceId), ...more },
      { kind: 'frame', deviceId, bytes: commandFrame(deviceId, commandId), commandId },
    ])
    await client.next('command')
    expect(client.received.filter(({ name }) => name !== 'ack' && name !== 'ticket')).toEqual([])
    expect(await node.metric('muster_ingest_orders_unfit_total')).toBe(before + 1)
    client.close()
  })

  test('sends an agent of protocol 1 the inner frame of an order until the end of support, then only updates', async () => {
    const until = async (date: string) => {
      const node = await startNode(redis.url, fleet, { settings: { UNSIGNED_AGENTS_UNTIL: date } })
      const device = fleet.enroll()
      const { deviceId } = device
      const client = new Client(node.port, true)
      await client.sayHello(device, { protocol: 1 })
      expect((await client.next('welcome')).body.protocol).toBe(1)
      await present(deviceId)
      const commandId = randomUUID()
      await sendToDevices(commands, [
        { kind: 'frame', deviceId, bytes: commandFrame(deviceId, commandId), commandId },
        { kind: 'frame', deviceId, bytes: orderFrame(deviceId, updateFrame()) },
      ])
      await client.next('update')
      const got = client.received.map(({ name }) => name)
      const records = await recordsOf(commands, shards, deviceId, 2)
      const refused = records.find(({ kind }) => kind === recordKinds.refused)
      client.close()
      await node.stop()
      return { got, refused: refused === undefined ? undefined : unpack(refused.payload), commandId }
    }
    expect((await until('2999-01-01')).got).toEqual(['command'])
    const after = await until('2020-01-01')
    expect(after.got).toEqual([])
    expect(after.refused).toEqual({ commandId: after.commandId, reason: 'AGENT_TOO_OLD' })
  })

  test('sends an agent that trusts older order keys the newer ones, on connect and while connected', async () => {
    const rotating = createFleet()
    const node = await startNode(redis.url, rotating, { limits: { orderKeysTicks: 1, sweepMs: 50 } })
    const serialOf = async (client: Client) =>
      (await client.next('orderKeys')).body.statements.map(({ serial }) => serial)
    const connected = await Client.welcomed(node.port, rotating.enroll(), { orderKeys: 1 })
    rotating.rotateOrders()
    expect(await serialOf(connected)).toEqual([2])
    const later = await Client.welcomed(node.port, rotating.enroll(), { orderKeys: 1 })
    expect(await serialOf(later)).toEqual([2])
    for (const client of [connected, later]) client.close()
    await node.stop()
    rotating.remove()
  })
})

const updateFrame = () =>
  encodeDown({
    name: 'update',
    sequence: 0,
    body: { version: '9.9.9', url: 'http://attacker.example/agent', sha256: 'a'.repeat(64), size: 5 },
  })

describe('presence', () => {
  test('names the node of a connected device, and none after it disconnected', async () => {
    const [node] = nodes()
    const device = fleet.enroll()
    const client = await Client.welcomed(node.port, device)
    await until(async () => (await nodesOf(commands, [device.deviceId])).get(device.deviceId) === node.nodeId)
    client.close()
    await until(async () => (await nodesOf(commands, [device.deviceId])).size === 0)
  })

  test('belongs to the newer connection; the older one on another node is closed', async () => {
    const [older, newer] = nodes()
    const device = fleet.enroll()
    const before = await Client.welcomed(older.port, device)
    await present(device.deviceId)
    const after = await Client.welcomed(newer.port, device)
    expect((await before.closed).code).toBe(closeCodes.replaced.code)
    await until(async () => (await older.metric('muster_ingest_presence_pending')) === 0)
    expect((await nodesOf(commands, [device.deviceId])).get(device.deviceId)).toBe(newer.nodeId)
    after.heartbeat(1)
    expect((await after.next('ack')).sequence).toBe(1)
    after.close()
  })

  test('is announced again after Redis lost its data', async () => {
    const [node] = nodes()
    const device = fleet.enroll()
    const client = await Client.welcomed(node.port, device)
    await present(device.deviceId)
    await commands.flushall()
    await until(async () => (await nodesOf(commands, [device.deviceId])).get(device.deviceId) === node.nodeId)
    const [connected] = await recordsOf(commands, shards, device.deviceId, 1)
    expect(connected?.kind).toBe(recordKinds.connected)
    client.heartbeat(1)
    expect((await client.next('ack')).sequence).toBe(1)
    client.close()
  })

  test('is announced again after a worker took it for dead', async () => {
    const [node] = nodes()
    const device = fleet.enroll()
    const client = await Client.welcomed(node.port, device)
    await present(device.deviceId)
    await forgetNodePresence(commands, node.nodeId, [device.deviceId])
    await commands.zrem(nodesKey, node.nodeId)
    await present(device.deviceId)
    expect((await recordsOf(commands, shards, device.deviceId, 2)).map(({ kind }) => kind)).toEqual([
      recordKinds.connected,
      recordKinds.connected,
    ])
    client.close()
  })

  test('holds the lease of the node and its entry in the list of nodes', async () => {
    const [node] = nodes()
    expect(await commands.pttl(nodeLease(node.nodeId))).toBeGreaterThan(0)
    expect(Number(await commands.zscore(nodesKey, node.nodeId))).toBeGreaterThan(Date.now() - 60_000)
  })
})

describe('a revoked device', () => {
  test('loses the open sockets of agent and watchdog within a second', async () => {
    const [one, two] = nodes()
    const device = fleet.enroll()
    const clients = [
      await Client.welcomed(one.port, device),
      await Client.welcomed(two.port, device, { role: 'watchdog' }),
    ]
    const startedAt = performance.now()
    await publishGeneration(commands, device.deviceId, revokedGeneration)
    for (const client of clients) expect((await client.closed).code).toBe(closeCodes.revoked.code)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    const again = new Client(one.port)
    await again.sayHello(device)
    expect((await again.closed).code).toBe(closeCodes.revoked.code)
  })

  test('with a renewed certificate is welcome, with the old one it is not', async () => {
    const [node] = nodes()
    const old = fleet.enroll()
    const renewed = fleet.enroll({ deviceId: old.deviceId, generation: 2 })
    const client = await Client.welcomed(node.port, old)
    await publishGeneration(commands, old.deviceId, 2)
    expect((await client.closed).code).toBe(closeCodes.revoked.code)
    const again = await Client.welcomed(node.port, renewed)
    again.heartbeat(1)
    await again.next('ack')
    again.close()
  })

  test('is refused by a node that starts later, and a missed change is found by reading', async () => {
    const [revokedBefore, revokedAfter] = [fleet.enroll(), fleet.enroll()]
    await commands.hset(generationsKey, revokedBefore.deviceId, revokedGeneration)
    const late = await startNode(redis.url, fleet, { limits: { generationsRefreshMs: 100 } })
    const refused = new Client(late.port)
    await refused.sayHello(revokedBefore)
    expect((await refused.closed).code).toBe(closeCodes.revoked.code)
    const client = await Client.welcomed(late.port, revokedAfter)
    await commands.hset(generationsKey, revokedAfter.deviceId, revokedGeneration)
    expect((await client.closed).code).toBe(closeCodes.revoked.code)
    await late.stop()
  })
})

test('keeps agent and watchdog apart in presence', async () => {
  const [node] = nodes()
  const device = fleet.enroll()
  const watchdog = await Client.welcomed(node.port, device, { role: 'watchdog' })
  const field = `${device.deviceId}/watchdog`
  await until(async () => (await holdersOf(commands, [field])).has(field))
  expect((await nodesOf(commands, [device.deviceId])).size).toBe(0)
  watchdog.close()
})
