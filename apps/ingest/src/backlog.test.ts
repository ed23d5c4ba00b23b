// The backlog of agents that do not read.
import { randomUUID } from 'node:crypto'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { commandMessage } from '@muster/testkit/down-messages.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { command } from '@muster/wire/messages/command.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFleet, type Device, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'
import { orderFrame } from './testing/orders.ts'
import { RawClient } from './testing/raw-client.ts'
import { until } from './testing/until.ts'

let redis: OwnRedis
let commands: Redis
let fleet: Fleet
let node: Node
const largeChars = 250_000
const together = 4 * 1024 * 1024
const perSocket = 3 * 1024 * 1024

beforeAll(async () => {
  redis = await startOwnRedis()
  commands = connectRedis(redis.url, 'test')
  await untilReady(commands, 10_000)
  fleet = createFleet()
  node = await startNode(redis.url, fleet, { limits: { backlogBytesMax: perSocket, backlogsBytesMax: together } })
})
afterAll(async () => {
  await node?.stop()
  commands?.disconnect()
  await redis?.stop()
  fleet?.remove()
})

const waiting = () => node.metric('muster_ingest_backlog_bytes')
const slowReaders = () => node.metric('muster_ingest_closes_total', 'close_code="4022"')

async function send({ deviceId }: Device, frame: Uint8Array): Promise<void> {
  const about = frame[1] === command.type ? { commandId: randomUUID() } : {}
  await sendToDevices(commands, [{ kind: 'frame', deviceId, bytes: orderFrame(deviceId, frame), ...about }])
}

const commandFrame = (content: string) => encodeDown(commandMessage({ payload: { content } }))

function offerFrame(version: string): Uint8Array {
  const body = { version, url: 'https://muster.example/agent', sha256: 'a'.repeat(64), size: 1 }
  return encodeDown({ name: 'update', sequence: 0, body })
}

/** Sends large commands until more than `bytes` bytes wait for the device's socket. */
async function fallBehind(device: Device, bytes: number): Promise<void> {
  const before = await waiting()
  const frame = commandFrame('x'.repeat(largeChars))
  while ((await waiting()) < before + bytes) await send(device, frame)
}

test('sends a slow agent only the newest update offer, after it has read the frames before', async () => {
  const device = fleet.enroll()
  const client = await RawClient.welcomed(node.port, device)
  await fallBehind(device, 1)
  for (const version of ['2.0.0', '2.0.1', '2.0.2']) await send(device, offerFrame(version))
  const offers: string[] = []
  while (offers.length === 0) {
    const message = await client.next()
    if (message.name === 'update') offers.push(message.body.version)
  }
  await send(device, commandFrame('last'))
  for (let isLast = false; !isLast; ) {
    const message = await client.next()
    if (message.name === 'update') offers.push(message.body.version)
    isLast = message.name === 'command' && message.body.payload?.content === 'last'
  }
  expect(offers).toEqual(['2.0.2'])
  await until(async () => (await waiting()) === 0)
  client.destroy()
})

test('bounds the backlog of all sockets together by closing the slowest reader', async () => {
  const devices = Array.from({ length: 3 }, () => fleet.enroll())
  const clients = await Promise.all(devices.map((device) => RawClient.welcomed(node.port, device)))
  const before = await slowReaders()
  const frame = commandFrame('x'.repeat(largeChars))
  let most = 0
  while ((await slowReaders()) === before) {
    for (const device of devices) await send(device, frame)
    most = Math.max(most, await waiting())
  }
  expect(most).toBeLessThanOrEqual(together)
  for (const client of clients) client.destroy()
  await until(async () => (await waiting()) === 0)
})
