import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { liveChannel, nodeLease, shardOwner, shardStream } from './keys.ts'
import { decodeLive, publishLive, watchedChannels } from './live.ts'
import { dropPresence, holdersOf, takePresence } from './presence.ts'
import { connectRedis, connectSubscriber, type Redis, serversOf, subscriberBeside, untilReady } from './redis.ts'
import { decodeOrders, sendToDevices } from './routing.ts'
import { type OwnCluster, startOwnCluster } from './testing/redis-cluster.ts'

describe('over a Redis Cluster', () => {
  let cluster: OwnCluster
  let redis: Redis
  beforeAll(async () => {
    cluster = await startOwnCluster()
    redis = connectRedis(cluster.address, 'test')
    await untilReady(redis, 10_000)
  })
  afterAll(async () => {
    redis?.disconnect()
    await cluster?.stop()
  })

  it('places the keys of one shard in one slot, and different shards on different servers', async () => {
    for (let shard = 0; shard < 16; shard++) {
      const script = `redis.call('SET', KEYS[2], '1') return redis.call('XLEN', KEYS[1])`
      expect(await redis.eval(script, 2, shardStream(shard), shardOwner(shard))).toBe(0)
    }
    const keys = await Promise.all(serversOf(redis).map((server) => server.keys('shard-owner:*')))
    expect(keys.filter((held) => held.length > 0).length).toBeGreaterThan(1)
  })

  it('records, finds, reaches and removes devices of all shards', async () => {
    await redis.set(nodeLease('node-a'), '{}', 'PX', 60_000)
    const holdings = Array.from({ length: 200 }, (_, connection) => ({
      field: randomUUID(),
      node: 'node-a',
      connection,
    }))
    const fields = holdings.map(({ field }) => field)
    expect(await takePresence(redis, holdings)).toEqual([])
    expect((await holdersOf(redis, fields)).size).toBe(200)
    const orders = fields.map((deviceId) => ({ kind: 'frame', deviceId, bytes: Buffer.from('x') }) as const)
    expect((await sendToDevices(redis, orders)).offline).toEqual([])
    const entries = await redis.xrangeBuffer('down:{node-a}', '-', '+')
    const sent = entries.flatMap(([, [, value]]) => (value === undefined ? [] : decodeOrders(value)))
    expect(sent.map(({ deviceId }) => deviceId).toSorted()).toEqual(fields.toSorted())
    await dropPresence(redis, holdings)
    expect((await holdersOf(redis, fields)).size).toBe(0)
  })

  it('delivers published messages to subscribers at any server, and lists their channels', async () => {
    const received: string[] = []
    const subscribers = cluster.address.split(',').map((address) => {
      const subscriber = connectSubscriber(address, 'test-watcher')
      subscriber.on('messageBuffer', (_channel: Buffer, message: Buffer) =>
        received.push(...decodeLive(message).map(({ deviceId }) => String(deviceId))),
      )
      return subscriber
    })
    await Promise.all(subscribers.map((subscriber, index) => subscriber.subscribe(liveChannel(`partner-${index % 2}`))))
    expect(await watchedChannels(redis)).toEqual(new Set([liveChannel('partner-0'), liveChannel('partner-1')]))
    const event = { type: 'device.changed', orgId: 'o', siteId: null, at: 1 } as const
    await publishLive(redis, 'partner-0', [{ ...event, deviceId: 'of the first' }])
    await publishLive(redis, 'partner-1', [{ ...event, deviceId: 'of the second' }])
    await expect.poll(() => received.toSorted()).toEqual(['of the first', 'of the first', 'of the second'])
    await subscribers[0]?.psubscribe(liveChannel('*'))
    expect(await watchedChannels(redis)).toBe('all')
    for (const subscriber of subscribers) subscriber.disconnect()
  })

  it('refuses a single server of a cluster and says how to configure the cluster', async () => {
    const [address = ''] = cluster.address.split(',')
    const alone = connectRedis(address, 'test-alone')
    await expect(untilReady(alone, 10_000)).rejects.toThrow('?cluster=true')
    alone.disconnect()
    const seed = connectRedis(`${address}?cluster=true`, 'test-seed')
    await untilReady(seed, 10_000)
    expect(await Promise.all([seed.get(shardOwner(0)), seed.get(shardOwner(5))])).toEqual(['1', '1'])
    seed.disconnect()
  })

  it('moves subscribers to another server and writes to the new master when a master dies', async () => {
    const received: string[] = []
    const subscribers = Array.from({ length: 3 }, () => subscriberBeside(redis, 'test-survivor', 3_000))
    for (const subscriber of subscribers) subscriber.on('message', (_channel, message) => received.push(message))
    await Promise.all(subscribers.map((subscriber) => subscriber.subscribe('news')))
    await cluster.failOver()
    await Promise.all(subscribers.map((subscriber) => untilReady(subscriber, 10_000)))
    await expect
      .poll(() => redis.publish('news', 'x').then(() => received.length), { timeout: 20_000 })
      .toBeGreaterThan(2)
    for (let shard = 0; shard < 16; shard++)
      await expect.poll(() => redis.set(shardOwner(shard), '2').catch(String), { timeout: 20_000 }).toBe('OK')
    for (const subscriber of subscribers) subscriber.disconnect()
  })
})
