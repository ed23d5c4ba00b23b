// Reconnecting with a ticket instead of certificate and signature.
import { publishGeneration } from '@muster/backplane/generations.ts'
import { quarantinedGeneration } from '@muster/backplane/keys.ts'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { closeCodes } from '@muster/wire/close-codes.ts'
import type { Role } from '@muster/wire/messages/hello.ts'
import type { Resume } from '@muster/wire/messages/resume.ts'
import type { Ticket } from '@muster/wire/messages/ticket.ts'
import { encodeUp } from '@muster/wire/up.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, helloOf } from './testing/client.ts'
import { createFleet, type Device, type DeviceOptions, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'

let redis: OwnRedis
let commands: Redis
let fleet: Fleet
let node: Node

beforeAll(async () => {
  redis = await startOwnRedis()
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

/** A ticket as a device gets it after its hello. */
async function ticketOf(device: Device, from: Node = node, role: Role = 'agent'): Promise<Ticket> {
  const client = await Client.welcomed(from.port, device, { tickets: true, role })
  const { body } = await client.next('ticket')
  client.close()
  await client.closed
  return body
}

/** A node that runs for one test. */
async function withNode<Result>(
  options: Parameters<typeof startNode>[2],
  use: (other: Node) => Promise<Result>,
): Promise<Result> {
  const other = await startNode(redis.url, fleet, options)
  try {
    return await use(other)
  } finally {
    await other.stop()
  }
}

const withKeys = (keysFile: string) => ({ settings: { DEVICE_KEYS_FILE: keysFile } })

/** Expects that the ticket is rejected and that the certificate is then accepted on the same socket. */
async function expectFallback(device: Device, given: Ticket, to: Node, after: Partial<Resume> = {}): Promise<void> {
  const client = new Client(to.port)
  const resume = await client.sayResume(given, {}, after)
  expect(resume.ticket).toBeDefined()
  const { body } = await client.next('challenge')
  expect(client.received).toEqual([])
  client.send(encodeUp({ name: 'hello', sequence: 0, body: helloOf(device, body.nonce) }))
  await client.next('welcome')
  client.heartbeat(1)
  expect((await client.next('ack')).sequence).toBe(1)
  client.close()
}

describe('a ticket', () => {
  test('is sent after the welcome, only to agents that keep tickets', async () => {
    const keeper = new Client(node.port)
    const { body } = await keeper.next('challenge')
    expect(body.tickets).toBe(true)
    const hello = { ...helloOf(fleet.enroll(), body.nonce), tickets: true }
    keeper.send(encodeUp({ name: 'hello', sequence: 0, body: hello }))
    await keeper.next('ticket')
    expect(keeper.received.map(({ name }) => name)).toEqual(['welcome'])
    const other = await Client.welcomed(node.port, fleet.enroll())
    other.heartbeat(1)
    await other.next('ack')
    expect(other.received).toEqual([])
    keeper.close()
    other.close()
  })

  test('opens connections without a certificate until it is old, and brings no new ticket', async () => {
    const device = fleet.enroll()
    const before = await node.metric('muster_ingest_resumptions_total')
    const given = await ticketOf(device)
    for (let time = 1; time <= 3; time++) {
      const client = new Client(node.port)
      await client.sayResume(given)
      expect((await client.next('welcome')).body).toMatchObject({ deviceId: device.deviceId, heartbeatMs: 60_000 })
      client.heartbeat(time)
      expect((await client.next('ack')).sequence).toBe(time)
      expect(client.received).toEqual([])
      client.close()
    }
    expect(await node.metric('muster_ingest_resumptions_total')).toBe(before + 3)
  })

  test('that is old still opens the next connection, which brings a new ticket', async () => {
    await withNode({ limits: { sweepMs: 20, ticketLifeMs: 4_000 } }, async (other) => {
      const client = await Client.welcomed(other.port, fleet.enroll(), { tickets: true })
      const { body: old } = await client.next('ticket')
      await client.next('ticket')
      client.close()
      const again = new Client(other.port)
      await again.sayResume(old)
      await again.next('welcome')
      await again.next('ticket')
      again.close()
    })
  })

  test('is valid on every node that has the key, also for a newer connection', async () => {
    const device = fleet.enroll()
    const given = await ticketOf(device)
    await withNode({}, async (other) => {
      const older = await Client.welcomed(other.port, device)
      const newer = new Client(other.port)
      await newer.sayResume(given)
      await newer.next('welcome')
      expect((await older.closed).code).toBe(closeCodes.replaced.code)
      newer.close()
    })
  })

  test('is renewed during the connection', async () => {
    await withNode({ limits: { sweepMs: 20, ticketLifeMs: 400 } }, async (other) => {
      const device = fleet.enroll()
      const client = await Client.welcomed(other.port, device, { tickets: true })
      await client.next('ticket')
      await client.next('ticket')
      const { body } = await client.next('ticket')
      client.close()
      const again = new Client(node.port)
      await again.sayResume(body)
      await again.next('welcome')
      again.close()
    })
  })
})

describe('an invalid ticket is answered with another challenge', () => {
  const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))

  test.each<[string, (given: Ticket) => Partial<Resume>]>([
    ['a wrong proof', () => ({ proof: Buffer.alloc(32, 7) })],
    ['another boot ID than was proved', () => ({ bootId: 5 })],
    ['another version than was proved', () => ({ agentVersion: '1.0.1' })],
    ['another role than was proved', () => ({ role: 'watchdog' })],
    ['garbage', () => ({ ticket: Buffer.from('nonsense') })],
    ['another key', ({ ticket }) => ({ ticket: flipped(ticket, 2) })],
    ['another device', ({ ticket }) => ({ ticket: flipped(ticket, 12) })],
    ['a later generation', ({ ticket }) => ({ ticket: flipped(ticket, 25) })],
    ['a later issue', ({ ticket }) => ({ ticket: flipped(ticket, 31) })],
    ['a later expiry', ({ ticket }) => ({ ticket: flipped(ticket, 35) })],
    ['another MAC', ({ ticket }) => ({ ticket: flipped(ticket, ticket.length - 1) })],
    ['more bytes', ({ ticket }) => ({ ticket: Buffer.concat([ticket, Buffer.of(0)]) })],
  ])('%s', async (_, change) => {
    const device = fleet.enroll()
    const given = await ticketOf(device)
    const before = await node.metric('muster_ingest_tickets_refused_total')
    await expectFallback(device, given, node, change(given))
    expect(await node.metric('muster_ingest_tickets_refused_total')).toBe(before + 1)
  })

  test('rejects a changed ticket with a matching proof', async () => {
    const device = fleet.enroll()
    const { ticket, secret } = await ticketOf(device)
    await expectFallback(device, { ticket: flipped(ticket, 12), secret }, node)
  })

  test('rejects a resume that is replayed from another socket', async () => {
    const device = fleet.enroll()
    const first = new Client(node.port)
    const resume = await first.sayResume(await ticketOf(device))
    await first.next('welcome')
    const second = new Client(node.port)
    const { body: challenge } = await second.next('challenge')
    second.send(encodeUp({ name: 'resume', sequence: 0, body: resume }))
    const { body } = await second.next('challenge')
    expect(body.nonce).not.toEqual(challenge.nonce)
    first.heartbeat(1)
    expect((await first.next('ack')).sequence).toBe(1)
    first.close()
    second.close()
  })

  test.each<[Role, Role]>([
    ['watchdog', 'agent'],
    ['agent', 'watchdog'],
  ])('rejects a ticket of a %s used by the %s', async (owner, user) => {
    const device = fleet.enroll()
    const client = new Client(node.port)
    await client.sayResume(await ticketOf(device, node, owner), { role: user })
    await client.next('challenge')
    client.close()
  })

  test('rejects an expired ticket', async () => {
    const device = fleet.enroll()
    const given = await ticketOf(device)
    await withNode({ limits: { ticketLifeMs: -1_000 } }, (other) => expectFallback(device, given, other))
  })

  test('rejects a ticket of a removed key, and accepts those of older keys in the ring', async () => {
    const device = fleet.enroll()
    const given = await ticketOf(device)
    const { tickets: fresh = [] } = createKeyring()
    const { tickets: held = [] } = fleet.keys
    const rotated = fleet.writeKeys('rotated.json', { ...fleet.keys, tickets: [...fresh, ...held] })
    const replaced = fleet.writeKeys('replaced.json', { ...fleet.keys, tickets: fresh })
    const newer = await withNode(withKeys(rotated), async (other) => {
      const client = new Client(other.port)
      await client.sayResume(given)
      await client.next('welcome')
      const { body } = await client.next('ticket')
      client.close()
      return body
    })
    await withNode(withKeys(replaced), async (other) => {
      await expectFallback(device, given, other)
      const client = new Client(other.port)
      await client.sayResume(newer)
      await client.next('welcome')
      client.close()
    })
    await expectFallback(device, newer, node)
  })

  test('is answered with a challenge only once per socket', async () => {
    const given = await ticketOf(fleet.enroll())
    const client = new Client(node.port)
    await client.sayResume(given, {}, { bootId: 5 })
    await client.sayResume(given)
    expect((await client.closed).code).toBe(closeCodes.unknownType.code)
  })
})

describe('a valid ticket grants no more than a certificate', () => {
  async function closedFor(given: Ticket, to: Node = node): Promise<number> {
    const client = new Client(to.port)
    await client.sayResume(given)
    return (await client.closed).code
  }

  test.each<[string, number, number]>([
    ['was revoked', 2, closeCodes.revoked.code],
    ['is locked out', quarantinedGeneration, closeCodes.quarantined.code],
  ])('is refused for a device that %s', async (_, generation, code) => {
    const device = fleet.enroll()
    const given = await ticketOf(device)
    const witness = await Client.welcomed(node.port, device)
    await publishGeneration(commands, device.deviceId, generation)
    expect((await witness.closed).code).toBe(code)
    expect(await closedFor(given)).toBe(code)
  })

  test('is refused after the certificate expired', async () => {
    const expired: DeviceOptions = { expiresInSeconds: -3_600 }
    await withNode({ limits: { clockLeewayMs: 7_200_000 } }, async (patient) => {
      const given = await ticketOf(fleet.enroll(expired), patient)
      expect(await closedFor(given)).toBe(closeCodes.certificateExpired.code)
    })
  })

  test('is refused for a device that is refused for a flood', async () => {
    const settings = { DEVICE_FRAMES_PER_SECOND: '1' }
    await withNode({ settings, limits: { frameBurstSeconds: 1 } }, async (strict) => {
      const device = fleet.enroll()
      const given = await ticketOf(device, strict)
      const client = await Client.welcomed(strict.port, device)
      for (let sequence = 1; sequence <= 10; sequence++) client.heartbeat(sequence)
      expect((await client.closed).code).toBe(closeCodes.tooManyFrames.code)
      expect(await closedFor(given, strict)).toBe(closeCodes.tooManyFrames.code)
    })
  })

  test('with an unsupported version', async () => {
    const client = new Client(node.port)
    await client.sayResume(await ticketOf(fleet.enroll()), { protocol: 99 })
    expect((await client.closed).code).toBe(closeCodes.unsupportedProtocol.code)
  })

  test('is refused on a live connection', async () => {
    const given = await ticketOf(fleet.enroll())
    const client = new Client(node.port)
    const resume = await client.sayResume(given)
    await client.next('welcome')
    client.send(encodeUp({ name: 'resume', sequence: 0, body: resume }))
    expect((await client.closed).code).toBe(closeCodes.unknownType.code)
  })
})

test('a gateway without a ticket key offers, gives and accepts no tickets', async () => {
  const device = fleet.enroll()
  const given = await ticketOf(device)
  const { deviceCertificates } = fleet.keys
  await withNode(withKeys(fleet.writeKeys('without.json', { deviceCertificates })), async (plain) => {
    const client = new Client(plain.port)
    const { body } = await client.next('challenge')
    expect(body.tickets).toBeUndefined()
    const hello = { ...helloOf(device, body.nonce), tickets: true }
    client.send(encodeUp({ name: 'hello', sequence: 0, body: hello }))
    await client.next('welcome')
    client.heartbeat(1)
    await client.next('ack')
    expect(client.received).toEqual([])
    client.close()
    const insistent = new Client(plain.port)
    await insistent.sayResume(given)
    expect((await insistent.closed).code).toBe(closeCodes.unknownType.code)
  })
})
