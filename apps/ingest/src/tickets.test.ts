// Coming back with a ticket instead of certificate and signature.
import { publishGeneration } from '@muster/backplane/generations.ts'
import { quarantinedGeneration } from '@muster/backplane/keys.ts'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { createKeyring } from '@muster/kit/keyring.ts'
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

/** Expects that the ticket opens nothing, and that the certificate then does, on the same socket. */
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
  test('is given to agents that keep them, after the welcome, and to no others', async () => {
    const keeper = new Client(node.port)
    const { body } = await keeper.next('challenge')
    expect(body.tickets).toBe(true)
    const hello = { ...helloOf(fleet.enrol(), body.nonce), tickets: true }
    keeper.send(encodeUp({ name: 'hello', sequence: 0, body: hello }))
    await keeper.next('ticket')
    expect(keeper.received.map(({ name }) => name)).toEqual(['welcome'])
    const other = await Client.welcomed(node.port, fleet.enrol())
    other.heartbeat(1)
    await other.next('ack')
    expect(other.received).toEqual([])
    keeper.close()
    other.close()
  })

  test('opens every connection until it has grown old, without a certificate and without another ticket', async () => {
    const device = fleet.enrol()
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

  test('that has grown old opens the next connection all the same, which brings another one', async () => {
    await withNode({ limits: { sweepMs: 20, ticketLifeMs: 4_000 } }, async (other) => {
      const client = await Client.welcomed(other.port, fleet.enrol(), { tickets: true })
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

  test('is good on every node that has the key, for the newer connection too', async () => {
    const device = fleet.enrol()
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

  test('is renewed while the connection stands', async () => {
    await withNode({ limits: { sweepMs: 20, ticketLifeMs: 400 } }, async (other) => {
      const device = fleet.enrol()
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

describe('a ticket that is no good is answered with another challenge', () => {
  const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))

  test.each<[string, (given: Ticket) => Partial<Resume>]>([
    ['a wrong proof', () => ({ proof: Buffer.alloc(32, 7) })],
    ['another boot than was proved', () => ({ bootId: 5 })],
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
    const device = fleet.enrol()
    const given = await ticketOf(device)
    const before = await node.metric('muster_ingest_tickets_refused_total')
    await expectFallback(device, given, node, change(given))
    expect(await node.metric('muster_ingest_tickets_refused_total')).toBe(before + 1)
  })

  test('a changed ticket is no better when the proof fits it', async () => {
    const device = fleet.enrol()
    const { ticket, secret } = await ticketOf(device)
    await expectFallback(device, { ticket: flipped(ticket, 12), secret }, node)
  })

  test('what was good on another socket is a replay', async () => {
    const device = fleet.enrol()
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
  ])('one of a %s, used by the %s', async (owner, user) => {
    const device = fleet.enrol()
    const client = new Client(node.port)
    await client.sayResume(await ticketOf(device, node, owner), { role: user })
    await client.next('challenge')
    client.close()
  })

  test('one that is too old', async () => {
    const device = fleet.enrol()
    const given = await ticketOf(device)
    await withNode({ limits: { ticketLifeMs: -1_000 } }, (other) => expectFallback(device, given, other))
  })

  test('one under a key that was taken away, while older keys of the ring go on', async () => {
    const device = fleet.enrol()
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

  test('but only once on a socket', async () => {
    const given = await ticketOf(fleet.enrol())
    const client = new Client(node.port)
    await client.sayResume(given, {}, { bootId: 5 })
    await client.sayResume(given)
    expect((await client.closed).code).toBe(closeCodes.unknownType.code)
  })
})

describe('a good ticket opens nothing that a certificate would not', () => {
  async function closedFor(given: Ticket, to: Node = node): Promise<number> {
    const client = new Client(to.port)
    await client.sayResume(given)
    return (await client.closed).code
  }

  test.each<[string, number, number]>([
    ['was revoked', 2, closeCodes.revoked.code],
    ['is locked out', quarantinedGeneration, closeCodes.quarantined.code],
  ])('for a device that %s', async (_, generation, code) => {
    const device = fleet.enrol()
    const given = await ticketOf(device)
    const witness = await Client.welcomed(node.port, device)
    await publishGeneration(commands, device.deviceId, generation)
    expect((await witness.closed).code).toBe(code)
    expect(await closedFor(given)).toBe(code)
  })

  test('when the certificate has run out meanwhile', async () => {
    const expired: DeviceOptions = { expiresInSeconds: -3_600 }
    await withNode({ limits: { clockLeewayMs: 7_200_000 } }, async (patient) => {
      const given = await ticketOf(fleet.enrol(expired), patient)
      expect(await closedFor(given)).toBe(closeCodes.certificateExpired.code)
    })
  })

  test('for a device that is turned away for a flood', async () => {
    const settings = { DEVICE_FRAMES_PER_SECOND: '1' }
    await withNode({ settings, limits: { frameBurstSeconds: 1 } }, async (strict) => {
      const device = fleet.enrol()
      const given = await ticketOf(device, strict)
      const client = await Client.welcomed(strict.port, device)
      for (let sequence = 1; sequence <= 10; sequence++) client.heartbeat(sequence)
      expect((await client.closed).code).toBe(closeCodes.tooManyFrames.code)
      expect(await closedFor(given, strict)).toBe(closeCodes.tooManyFrames.code)
    })
  })

  test('with a version that nobody speaks', async () => {
    const client = new Client(node.port)
    await client.sayResume(await ticketOf(fleet.enrol()), { protocol: 99 })
    expect((await client.closed).code).toBe(closeCodes.unsupportedProtocol.code)
  })

  test('nor is it taken on a live connection', async () => {
    const given = await ticketOf(fleet.enrol())
    const client = new Client(node.port)
    const resume = await client.sayResume(given)
    await client.next('welcome')
    client.send(encodeUp({ name: 'resume', sequence: 0, body: resume }))
    expect((await client.closed).code).toBe(closeCodes.unknownType.code)
  })
})

test('a gateway without a key for tickets speaks of none, gives none and takes none', async () => {
  const device = fleet.enrol()
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
