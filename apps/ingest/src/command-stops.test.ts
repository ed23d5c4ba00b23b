import { randomUUID } from 'node:crypto'
import { recordKinds } from '@muster/backplane/batch.ts'
import { writeCommandStops } from '@muster/backplane/command-stops.ts'
import { commandStopsKey, replyChannel } from '@muster/backplane/keys.ts'
import { connectRedis, connectSubscriber, type Redis, untilReady } from '@muster/backplane/redis.ts'
import { decodeReply, type Replied } from '@muster/backplane/replies.ts'
import { nodesOf, sendToDevices } from '@muster/backplane/routing.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { createLog } from '@muster/kit/log.ts'
import { commandMessage } from '@muster/testkit/down-messages.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandStops } from './command-stops.ts'
import { Client } from './testing/client.ts'
import { createFleet, type Device, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'
import { orderFrame } from './testing/orders.ts'
import { readRecords } from './testing/stream.ts'
import { until } from './testing/until.ts'

const shards = 4
const partnerId: string = randomUUID()
let redis: OwnRedis
let commands: Redis
let fleet: Fleet
let node: Node

beforeAll(async () => {
  redis = await startOwnRedis()
  commands = connectRedis(redis.url, 'test')
  await untilReady(commands, 10_000)
  fleet = createFleet()
  node = await startNode(redis.url, fleet, { limits: { commandStopsPollMs: 20 } })
})
afterAll(async () => {
  await node?.stop()
  commands?.disconnect()
  await redis?.stop()
  fleet?.remove()
})

async function connected(device: Device = fleet.enroll()) {
  const client = await Client.welcomed(node.port, device)
  await until(async () => (await nodesOf(commands, [device.deviceId])).size === 1)
  return { device, client }
}
type Connected = Awaited<ReturnType<typeof connected>>

function commandOrder(deviceId: string, commandId: string) {
  return {
    kind: 'frame',
    deviceId,
    bytes: orderFrame(deviceId, encodeDown(commandMessage({ id: commandId }))),
    commandId,
  } as const
}

/** Which of the commands reach the device. A cancel is never held back and arrives after all of them. */
async function reached({ device, client }: Connected, ids: readonly string[], whose = partnerId): Promise<string[]> {
  const { deviceId } = device
  const cancel = orderFrame(deviceId, encodeDown({ name: 'cancel', sequence: 0, body: { id: randomUUID() } }))
  const orders = ids.map((id) => commandOrder(deviceId, id))
  await sendToDevices(commands, [...orders, { kind: 'frame', deviceId, bytes: cancel }], whose)
  await client.next('cancel')
  return client.received.splice(0).flatMap((message) => (message.name === 'command' ? [message.body.id] : []))
}

const passes = async (to: Connected, whose?: string) => (await reached(to, [randomUUID()], whose)).length === 1
const held = (to: Connected, whose?: string) => until(async () => !(await passes(to, whose)))
const released = (to: Connected, whose?: string) => until(() => passes(to, whose))

test('holds back the commands of a stopped partner, passes those of others, and passes all once the stop is lifted', async () => {
  const to = await connected()
  expect(await passes(to)).toBe(true)
  await writeCommandStops(commands, { all: false, partnerIds: [partnerId] })
  await held(to)
  expect(await passes(to, randomUUID())).toBe(true)
  expect(await passes(to, '')).toBe(false)
  await writeCommandStops(commands, { all: true, partnerIds: [] })
  await held(to, randomUUID())
  expect(await passes(to)).toBe(false)
  await writeCommandStops(commands, { all: false, partnerIds: [] })
  await released(to)
  to.client.close()
})

test('answers a held-back request at once and sends the device nothing', async () => {
  const to = await connected()
  const { deviceId } = to.device
  await writeCommandStops(commands, { all: true, partnerIds: [] })
  await held(to)
  const [processId, number] = [randomUUID(), 77]
  const listener = connectSubscriber(redis.url, 'test-replies')
  const replied = new Promise<Replied | undefined>((resolve) => {
    listener.on('messageBuffer', (_channel: Buffer, message: Buffer) => resolve(decodeReply(message)))
  })
  await listener.subscribe(replyChannel(processId))
  const body = { type: 'list_processes', payload: {}, timeoutMs: 1_000 }
  const bytes = orderFrame(deviceId, encodeDown({ name: 'request', sequence: number, body }))
  await sendToDevices(commands, [{ kind: 'request', deviceId, bytes, number, replyTo: processId }], partnerId)
  expect(await replied).toEqual({ deviceId, number, reply: 'withheld' })
  listener.disconnect()
  await writeCommandStops(commands, { all: false, partnerIds: [] })
  await released(to)
  expect(to.client.received.filter(({ name }) => name === 'request')).toEqual([])
  to.client.close()
})

test('treats a missing or unreadable state as stopped', async () => {
  const to = await connected()
  for (const lose of [() => commands.del(commandStopsKey), () => commands.set(commandStopsKey, 'rubbish')]) {
    await lose()
    await held(to)
    await writeCommandStops(commands, { all: false, partnerIds: [] })
    await released(to)
  }
  to.client.close()
})

test('uses the last known state for a few seconds while Redis does not answer', async () => {
  const own = await startOwnRedis()
  const link = connectRedis(own.url, 'test-stops', 'commands')
  await untilReady(link, 10_000)
  await writeCommandStops(link, { all: false, partnerIds: [] })
  const stops = new CommandStops({ redis: link, log: createLog('test', 'silent'), pollMs: 20, staleMs: 200 })
  await stops.start()
  expect(stops.withhold(partnerId)).toBe(false)
  await own.stop()
  await until(async () => stops.withhold(partnerId))
  stops.stop()
  link.disconnect()
})

test('sends a repeated command once per connection, and again to a new connection', async () => {
  const to = await connected()
  const id = randomUUID()
  expect(await reached(to, [id, id])).toEqual([id])
  expect(await reached(to, [id])).toEqual([])
  // Each repeat is reported as sent: the first report may have been lost.
  await until(async () => {
    const records = await readRecords(commands, shards)
    return (
      records.filter(({ kind, payload }) => kind === recordKinds.sent && Buffer.from(payload).includes(id)).length === 3
    )
  })
  to.client.close()
  await until(async () => (await nodesOf(commands, [to.device.deviceId])).size === 0)
  const again = await connected(to.device)
  expect(await reached(again, [id])).toEqual([id])
  again.client.close()
})
