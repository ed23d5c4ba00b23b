import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeGeneration, publishGeneration } from './generations.ts'
import { downStream, generationsChannel, generationsKey, liveChannel, nodeLease, ordersField } from './keys.ts'
import { decodeLive, type LiveEvent, publishLive } from './live.ts'
import { pack } from './pack.ts'
import { dropPresence, forgetNodePresence, type Holding, holdersOf, presenceField, takePresence } from './presence.ts'
import type { Redis } from './redis.ts'
import { connectRedis, connectSubscriber, untilReady } from './redis.ts'
import { type DeliveryOrder, decodeOrders, encodeOrders, sendToDevices } from './routing.ts'
import { type OwnRedis, startOwnRedis } from './testing/redis-server.ts'

let server: OwnRedis
let redis: Redis

beforeAll(async () => {
  server = await startOwnRedis()
  redis = connectRedis(server.url, 'test')
  await untilReady(redis, 10_000)
})
afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
})

function frame(deviceId: string, text: string, commandId?: string): DeliveryOrder {
  return { kind: 'frame', deviceId, bytes: Buffer.from(text), ...(commandId === undefined ? {} : { commandId }) }
}

async function ordersOf(node: string): Promise<DeliveryOrder[][]> {
  const entries = await redis.xrangeBuffer(downStream(node), '-', '+')
  return entries.map(([, [field, value]]) => {
    expect(field?.toString()).toBe(ordersField)
    return decodeOrders(value ?? Buffer.alloc(0))
  })
}

describe('presence', () => {
  test('of three hundred devices is recorded at once and returns what it replaced', async () => {
    const fields = Array.from({ length: 300 }, () => randomUUID())
    const holdings = (node: string): Holding[] => fields.map((field, connection) => ({ field, node, connection }))
    expect(await takePresence(redis, holdings('n:1'))).toEqual([])
    expect(await takePresence(redis, holdings('n:1'))).toEqual([])
    const replaced = await takePresence(redis, holdings('n2'))
    expect(replaced.toSorted((one, two) => one.connection - two.connection)).toEqual(holdings('n:1'))
    expect((await holdersOf(redis, fields)).get(fields[7] ?? '')).toEqual({
      field: fields[7],
      node: 'n2',
      connection: 7,
    })
  })

  test('is removed only by the connection that holds it', async () => {
    const field = randomUUID()
    await takePresence(redis, [{ field, node: 'a', connection: 2 }])
    await dropPresence(redis, [
      { field, node: 'a', connection: 1 },
      { field, node: 'b', connection: 2 },
    ])
    expect((await holdersOf(redis, [field])).size).toBe(1)
    await dropPresence(redis, [{ field, node: 'a', connection: 2 }])
    expect((await holdersOf(redis, [field])).size).toBe(0)
  })

  test('is removed for a dead node, not for others with a similar name', async () => {
    const [one, two] = [randomUUID(), randomUUID()]
    await takePresence(redis, [
      { field: one, node: 'a', connection: 1 },
      { field: two, node: 'ab', connection: 1 },
    ])
    await forgetNodePresence(redis, 'a', [one, two])
    expect([...(await holdersOf(redis, [one, two])).keys()]).toEqual([two])
  })

  test('of a watchdog is separate from that of its agent', () => {
    expect([presenceField('x', 'agent'), presenceField('x', 'watchdog')]).toEqual(['x', 'x/watchdog'])
  })
})

describe('orders', () => {
  test('are sent in one entry per node; the other devices are offline', async () => {
    const [one, two, three, four] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    await redis.set(nodeLease('east'), '{}')
    await redis.set(nodeLease('west'), '{}')
    await takePresence(redis, [
      { field: one, node: 'east', connection: 1 },
      { field: two, node: 'west', connection: 1 },
      { field: three, node: 'gone', connection: 1 },
    ])
    const orders = [frame(one, 'a', 'c1'), frame(two, 'b'), frame(one, 'c'), frame(three, 'd'), frame(four, 'e')]
    const { offline } = await sendToDevices(redis, orders)
    expect(offline.toSorted()).toEqual([three, four].toSorted())
    expect(await ordersOf('east')).toEqual([[orders[0], orders[2]]])
    expect(await ordersOf('west')).toEqual([[orders[1]]])
    expect(await redis.pttl(downStream('east'))).toBeGreaterThan(0)
  })

  test('of large size are split into several entries', async () => {
    const device = randomUUID()
    await redis.set(nodeLease('big'), '{}')
    await takePresence(redis, [{ field: device, node: 'big', connection: 1 }])
    await sendToDevices(
      redis,
      Array.from({ length: 9 }, () => frame(device, 'x'.repeat(1024 * 1024))),
    )
    expect((await ordersOf('big')).map((entry) => entry.length)).toEqual([4, 4, 1])
    await sendToDevices(
      redis,
      Array.from({ length: 2_001 }, () => frame(device, 'x')),
    )
    expect((await ordersOf('big')).map((entry) => entry.length)).toEqual([4, 4, 1, 1000, 1000, 1])
  })

  test('decode to what was encoded; invalid ones are skipped', () => {
    const device = randomUUID()
    const orders: DeliveryOrder[] = [
      frame(device, 'a', 'c'),
      { kind: 'close', deviceId: `${device}/watchdog`, code: 4013, reason: 'revoked' },
      { kind: 'close', deviceId: device, code: 4014, reason: 'replaced', connection: 12 },
    ]
    expect(decodeOrders(encodeOrders(orders))).toEqual(orders)
    const wrong = [
      ['frame', 'x', Buffer.alloc(1)],
      ['close', device, pack({ code: 'x' })],
      ['dance', device, pack(1)],
      7,
    ]
    expect(decodeOrders(pack(wrong))).toEqual([])
    expect(decodeOrders(pack('x'))).toEqual([])
    expect(
      decodeOrders(
        pack([
          ['frames', 7, Buffer.alloc(1)],
          ['frames', 'x'.repeat(36), Buffer.alloc(1)],
        ]),
      ),
    ).toEqual([])
  })

  test('store one frame for many devices once, and keep the order of each device', () => {
    const bytes = Buffer.alloc(1_000, 7)
    const ids = Array.from({ length: 50 }, () => randomUUID())
    const to = (deviceId: string) => ({ kind: 'frame', deviceId, bytes }) as const
    const last = { kind: 'frame', deviceId: ids[0] ?? '', bytes: Buffer.of(1), commandId: randomUUID() } as const
    const orders = [...ids.map(to), last, ...ids.map(to)]
    const encoded = encodeOrders(orders)
    expect(encoded.length).toBeLessThan(2 * (1_000 + 36 * 50) + 200)
    expect(decodeOrders(encoded)).toEqual(orders)
  })
})

describe('messages between processes', () => {
  async function messageOn(channel: string, publish: () => Promise<void>): Promise<Buffer> {
    const subscriber = connectSubscriber(server.url, 'test-subscriber')
    await subscriber.subscribe(channel)
    const message = new Promise<Buffer>((resolve) => {
      subscriber.on('messageBuffer', (_channel: Buffer, bytes: Buffer) => resolve(bytes))
    })
    await publish()
    const bytes = await message
    subscriber.disconnect()
    return bytes
  }

  test('stores and publishes a generation', async () => {
    const deviceId = randomUUID()
    const bytes = await messageOn(generationsChannel, () => publishGeneration(redis, deviceId, 3))
    expect(decodeGeneration(bytes)).toEqual({ deviceId, generation: 3 })
    expect(await redis.hget(generationsKey, deviceId)).toBe('3')
    expect(decodeGeneration(pack('x'))).toBeUndefined()
  })

  test('delivers live events to the subscribers of their partner', async () => {
    const partnerId = randomUUID()
    const event: LiveEvent = {
      type: 'device.status',
      orgId: randomUUID(),
      siteId: null,
      deviceId: randomUUID(),
      at: 1,
      status: 'online',
    }
    const bytes = await messageOn(liveChannel(partnerId), () => publishLive(redis, partnerId, [event]))
    expect(decodeLive(bytes)).toEqual([event])
    expect(decodeLive(pack([{}, 1, null]))).toEqual([])
  })
})

describe('a connection', () => {
  test('fails at once while Redis is unreachable and works again when it returns', async () => {
    const own = await startOwnRedis()
    const client = connectRedis(own.url, 'test-away')
    await untilReady(client, 10_000)
    const lost = new Promise((resolve) => client.once('close', resolve))
    await own.kill()
    await lost
    await expect(client.get('x')).rejects.toThrow()
    const back = new Promise((resolve) => client.once('ready', resolve))
    await own.restart()
    await back
    expect(await client.get('x')).toBeNull()
    client.disconnect()
    await own.stop()
  })

  test('that cannot be established is reported in time', async () => {
    const client = connectRedis('redis://127.0.0.1:1', 'test-unreachable')
    await expect(untilReady(client, 200)).rejects.toThrow('within 200 ms')
    client.disconnect()
  })
})
