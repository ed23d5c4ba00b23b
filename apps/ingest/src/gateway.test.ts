import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import type { Redis } from '@muster/backplane/redis.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { commandMessage } from '@muster/testkit/down-messages.ts'
import { type CloseName, closeCodes } from '@muster/wire/close-codes.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { encodeFrame } from '@muster/wire/frame.ts'
import { encodeHeartbeat } from '@muster/wire/heartbeat-frame.ts'
import type { Role } from '@muster/wire/messages/hello.ts'
import { encodeUp, type UpMessage } from '@muster/wire/up.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from './testing/client.ts'
import { createFleet, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'
import { orderFrame } from './testing/orders.ts'
import { RawClient } from './testing/raw-client.ts'

let redis: OwnRedis
let commands: Redis
let fleet: Fleet
let node: Node
const logged: { deviceId?: string; close?: string }[] = []

beforeAll(async () => {
  redis = await startOwnRedis()
  commands = connectRedis(redis.url, 'test')
  await untilReady(commands, 10_000)
  fleet = createFleet()
  const lines = new Writable({
    write(line, _encoding, done) {
      logged.push(JSON.parse(String(line)))
      done()
    },
  })
  node = await startNode(redis.url, fleet, {
    limits: { frameBurstSeconds: 10, backlogBytesMax: 512 * 1024 },
    settings: { DEVICE_FRAMES_PER_SECOND: '10' },
    lines,
  })
})
afterAll(async () => {
  await node?.stop()
  commands?.disconnect()
  await redis?.stop()
  fleet?.remove()
})

const heartbeat = encodeHeartbeat(7, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
const badFrames: [string, CloseName, () => Uint8Array | string][] = [
  ['bytes that are no frame', 'malformed', () => Uint8Array.from([0xc1, 0xff, 0x00])],
  ['an empty message', 'malformed', () => new Uint8Array(0)],
  ['a text message', 'malformed', () => '[33,1,[]]'],
  ['a frame cut in its body', 'malformed', () => heartbeat.subarray(0, heartbeat.length - 1)],
  ['a frame with something behind it', 'malformed', () => Uint8Array.from([...heartbeat, 0])],
  ['a frame without its sequence', 'malformed', () => encodeFrame(33, 0, [1])],
  ['a frame without its body', 'malformed', () => encodeFrame(33, 1)],
  ['a length beyond the frame', 'malformed', () => Uint8Array.from([0x93, 34, 1, 0xdd, 0xff, 0xff, 0xff, 0xff])],
  ['a type of the server', 'unknownType', () => encodeFrame(4, 1, {})],
  ['an unknown type', 'unknownType', () => encodeFrame(99, 1, {})],
  ['a heartbeat as large as an inventory', 'tooLarge', () => encodeFrame(33, 1, 'x'.repeat(5_000))],
  ['an inventory larger than any frame', 'tooLarge', () => tooLarge()],
]

function tooLarge(): Uint8Array {
  const frame = new Uint8Array(1024 * 1024 + 1000)
  frame.set([0x93, 34, 1, 0xdb, 0x00, 0x10, 0x00, 0x00])
  return frame
}

describe('a bad frame', () => {
  test.each(badFrames)('with %s closes its own socket with the right code and no other', async (_, why, frame) => {
    const [device, witness] = [fleet.enroll(), await Client.welcomed(node.port, fleet.enroll())]
    const before = await node.metric('muster_ingest_closes_total', `close_code="${closeCodes[why].code}"`)
    const client = await Client.welcomed(node.port, device)
    client.send(frame())
    expect(await client.closed).toEqual({ code: closeCodes[why].code, reason: closeCodes[why].name })
    expect(client.received).toContainEqual(expect.objectContaining({ name: 'error', sequence: expect.any(Number) }))
    expect(await node.metric('muster_ingest_closes_total', `close_code="${closeCodes[why].code}"`)).toBe(before + 1)
    witness.heartbeat(1)
    expect((await witness.next('ack')).sequence).toBe(1)
    witness.close()
  })

  test.each<[Role, UpMessage]>([
    ['watchdog', { name: 'heartbeat', sequence: 1, body: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }],
    ['watchdog', { name: 'watchdogKey', sequence: 1, body: { publicKey: `${'B'.repeat(42)}A` } }],
    ['agent', { name: 'watchdogStatus', sequence: 1, body: { agent: 'running' } }],
  ])('a %s cannot send a message of the other role', async (role, message) => {
    const client = await Client.welcomed(node.port, fleet.enroll(), { role })
    client.send(encodeUp(message))
    expect((await client.closed).code).toBe(closeCodes.unknownType.code)
  })

  test('is logged once per device when repeated', async () => {
    const device = fleet.enroll()
    for (let time = 0; time < 3; time++) {
      const client = await Client.welcomed(node.port, device)
      client.send(Uint8Array.from([0xc1]))
      await client.closed
    }
    const lines = logged.filter((line) => line.deviceId === device.deviceId)
    expect(lines).toEqual([expect.objectContaining({ close: 'malformed', level: 40 })])
  })

  test('beyond the limit of the socket library ends the connection', async () => {
    const client = await Client.welcomed(node.port, fleet.enroll())
    client.send(new Uint8Array(2 * 1024 * 1024))
    expect([1006, 1009]).toContain((await client.closed).code)
  })
})

describe('one device', () => {
  test('that floods is closed and refused for a while; others are not', async () => {
    const device = fleet.enroll()
    const witness = await Client.welcomed(node.port, fleet.enroll())
    const client = await Client.welcomed(node.port, device)
    for (let sequence = 1; sequence <= 150; sequence++) client.heartbeat(sequence)
    expect((await client.closed).code).toBe(closeCodes.tooManyFrames.code)
    const again = new Client(node.port)
    await again.sayHello(device)
    expect((await again.closed).code).toBe(closeCodes.tooManyFrames.code)
    witness.heartbeat(1)
    await witness.next('ack')
    witness.close()
  })

  test('that is silent too long is closed as idle', async () => {
    const impatient = await startNode(redis.url, fleet, {
      limits: { sweepMs: 50, idleGraceMs: -1_800 },
      settings: { HEARTBEAT_SECONDS: '1' },
    })
    const client = await Client.welcomed(impatient.port, fleet.enroll())
    expect((await client.closed).code).toBe(closeCodes.idle.code)
    await impatient.stop()
  })

  test('keeps its newest connection; the older one is closed', async () => {
    const device = fleet.enroll()
    const older = await Client.welcomed(node.port, device)
    const newer = await Client.welcomed(node.port, device)
    expect((await older.closed).code).toBe(closeCodes.replaced.code)
    newer.heartbeat(1)
    expect((await newer.next('ack')).sequence).toBe(1)
    newer.close()
  })

  test('that does not read is closed as a slow reader', async () => {
    const device = fleet.enroll()
    const before = await node.metric('muster_ingest_closes_total', 'close_code="4022"')
    const client = await RawClient.welcomed(node.port, device)
    const frame = encodeDown(commandMessage({ payload: { content: 'x'.repeat(250_000) } }))
    const order = { kind: 'frame', deviceId: device.deviceId, bytes: orderFrame(device.deviceId, frame) } as const
    while ((await node.metric('muster_ingest_closes_total', 'close_code="4022"')) === before)
      await sendToDevices(commands, [{ ...order, commandId: randomUUID() }])
    client.destroy()
  })
})
