import { recordKinds } from '@muster/backplane/batch.ts'
import { nodeLease } from '@muster/backplane/keys.ts'
import { unpack } from '@muster/backplane/pack.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { nodesOf } from '@muster/backplane/routing.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { closeCodes } from '@muster/wire/close-codes.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retryWindowMs } from './drain.ts'
import { limits } from './limits.ts'
import { Client } from './testing/client.ts'
import { createFleet, type Fleet } from './testing/fleet.ts'
import { startNode } from './testing/node.ts'
import { recordsOf } from './testing/stream.ts'
import { requestUpgrade } from './testing/upgrade.ts'

const shards = 4
let redis: OwnRedis
let commands: Redis
let fleet: Fleet

beforeAll(async () => {
  redis = await startOwnRedis()
  commands = connectRedis(redis.url, 'test')
  await untilReady(commands, 10_000)
  fleet = createFleet()
})
afterAll(async () => {
  commands?.disconnect()
  await redis?.stop()
  fleet?.remove()
})

test('acknowledges everything on stop, closes every connection with a retry time, and removes its presence', async () => {
  const node = await startNode(redis.url, fleet)
  const devices = Array.from({ length: 20 }, () => fleet.enroll())
  const clients = await Promise.all(devices.map((device) => Client.welcomed(node.port, device)))
  const waiting = new Client(node.port)
  await waiting.next('challenge')
  for (const client of clients) client.heartbeat(1)
  await Promise.all(clients.map((client) => client.next('ack')))
  expect(await node.ready()).toEqual({ accepting: true, redis: true })
  const draining = node.drain()
  expect((await node.ready()).accepting).toBe(false)
  const hints = await Promise.all(clients.map((client) => client.next('retry')))
  for (const client of [...clients, waiting]) expect((await client.closed).code).toBe(closeCodes.goingAway.code)
  for (const hint of hints) expect(hint.body.afterMs).toBeLessThan(limits.retryWindowMinMs)
  expect(new Set(hints.map((hint) => hint.body.afterMs)).size).toBeGreaterThan(10)
  await draining
  for (const { deviceId } of devices) {
    const records = await recordsOf(commands, shards, deviceId, 3)
    expect(records.map((record) => record.kind)).toEqual([recordKinds.connected, 33, recordKinds.disconnected])
    expect(unpack(records[2]?.payload ?? new Uint8Array(0))).toEqual({
      role: 'agent',
      code: closeCodes.goingAway.code,
      returnsWithinMs: limits.retryWindowMinMs,
    })
  }
  await node.stop()
  expect(await commands.exists(nodeLease(node.nodeId))).toBe(0)
  expect(
    (
      await nodesOf(
        commands,
        devices.map((device) => device.deviceId),
      )
    ).size,
  ).toBe(0)
})

test('grows the reconnect window with the fleet, within bounds', () => {
  expect([10, 20_000, 1_000_000].map((agents) => retryWindowMs(agents, limits))).toEqual([2_000, 20_000, 120_000])
})

test('refuses upgrades beyond the rate with 503 and a retry time, and serves those it admits', async () => {
  const node = await startNode(redis.url, fleet, { settings: { ADMISSIONS_PER_SECOND: '2' } })
  const client = await Client.welcomed(node.port, fleet.enroll())
  const answers: { status: number; retryAfter: number }[] = []
  while (!answers.some((answer) => answer.status === 503)) answers.push(await requestUpgrade(node.port))
  expect(answers.at(-1)?.retryAfter).toBeGreaterThan(0)
  expect(await node.metric('muster_ingest_upgrades_refused_total', 'reason="admission"')).toBeGreaterThan(0)
  client.heartbeat(1)
  expect((await client.next('ack')).sequence).toBe(1)
  client.close()
  await node.stop()
})

test('refuses upgrades on a full node, from a browser, with a wrong subprotocol or on a wrong path', async () => {
  const node = await startNode(redis.url, fleet, { settings: { SOCKETS_MAX: '1' } })
  const client = await Client.welcomed(node.port, fleet.enroll())
  expect((await requestUpgrade(node.port)).status).toBe(503)
  expect((await requestUpgrade(node.port, { origin: 'https://a.example' })).status).toBe(403)
  expect((await requestUpgrade(node.port, { 'sec-websocket-protocol': 'chat' })).status).toBe(400)
  expect((await fetch(`http://127.0.0.1:${node.port}/api/v1/devices`)).status).toBe(404)
  client.close()
  await node.stop()
})
