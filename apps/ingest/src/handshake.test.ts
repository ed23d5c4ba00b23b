import { generateKeyPairSync, sign } from 'node:crypto'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { type CloseName, closeCodes } from '@muster/wire/close-codes.ts'
import { proofBytes } from '@muster/wire/identity.ts'
import { encodeUp } from '@muster/wire/up.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, helloOf } from './testing/client.ts'
import { createFleet, type Device, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'

interface Attempt {
  device?: Device
  certificate?: string
  protocol?: number
}

let redis: OwnRedis
let fleet: Fleet
let node: Node
const stranger = createFleet()

beforeAll(async () => {
  redis = await startOwnRedis()
  fleet = createFleet()
  node = await startNode(redis.url, fleet)
})
afterAll(async () => {
  await node?.stop()
  await redis?.stop()
  fleet?.remove()
  stranger.remove()
})

describe('a hello', () => {
  test('with a good certificate and proof is welcomed', async () => {
    const device = fleet.enroll()
    const client = new Client(node.port)
    await client.sayHello(device)
    const { body } = await client.next('welcome')
    expect(body).toMatchObject({
      protocol: 2,
      deviceId: device.deviceId,
      heartbeatMs: 60_000,
      frameBytesMax: 1_048_576,
    })
    client.close()
  })

  test('of the previous protocol version is welcomed in that version', async () => {
    const client = await Client.welcomed(node.port, fleet.enroll(), { protocol: 1 })
    client.heartbeat(1)
    expect((await client.next('ack')).sequence).toBe(1)
    client.close()
  })

  test('of a watchdog with the certificate of its agent is accepted beside the agent', async () => {
    const device = fleet.enroll()
    const agent = await Client.welcomed(node.port, device)
    const watchdog = await Client.welcomed(node.port, device, { role: 'watchdog' })
    agent.heartbeat(1)
    watchdog.send(encodeUp({ name: 'watchdogStatus', sequence: 1, body: { agent: 'running' } }))
    expect((await agent.next('ack')).sequence).toBe(1)
    expect((await watchdog.next('ack')).sequence).toBe(1)
    agent.close()
    watchdog.close()
  })

  const other = generateKeyPairSync('ed25519').privateKey
  test.each<[string, CloseName, () => Attempt]>([
    ['a certificate that is no JWT', 'badCertificate', () => ({ certificate: 'nonsense' })],
    ['a certificate of another installation', 'badCertificate', () => ({ device: stranger.enroll() })],
    [
      'a certificate whose claims were changed',
      'badCertificate',
      () => ({ certificate: forged(fleet.enroll().certificate) }),
    ],
    [
      'a certificate for another audience',
      'badCertificate',
      () => ({ device: fleet.enroll({ claims: { aud: 'people' } }) }),
    ],
    [
      'a certificate of algorithm none',
      'badCertificate',
      () => ({ device: fleet.enroll({ header: { alg: 'none' } }) }),
    ],
    [
      'a certificate of an unknown key',
      'badCertificate',
      () => ({ device: fleet.enroll({ header: { kid: '../keys' } }) }),
    ],
    [
      'a watchdog certificate, used by an agent',
      'badCertificate',
      () => ({ device: fleet.enroll({ role: 'watchdog' }) }),
    ],
    ['an expired certificate', 'certificateExpired', () => ({ device: fleet.enroll({ expiresInSeconds: -3600 }) })],
    ['an unsupported version', 'unsupportedProtocol', () => ({ protocol: 99 })],
  ])('with %s is refused', async (_, why, attempt) => {
    const { device = fleet.enroll(), certificate = device.certificate, protocol = 1 } = attempt()
    const client = new Client(node.port)
    const { body } = await client.next('challenge')
    const signature = sign(null, proofBytes(body.nonce, certificate), device.privateKey)
    const hello = helloOf(device, body.nonce, { certificate, signature, protocol })
    client.send(encodeUp({ name: 'hello', sequence: 0, body: hello }))
    expect(await client.closed).toEqual({ code: closeCodes[why].code, reason: closeCodes[why].name })
    expect(client.received).toContainEqual(expect.objectContaining({ name: 'error' }))
    expect(await node.metric('muster_ingest_closes_total', `reason="${closeCodes[why].name}"`)).toBeGreaterThan(0)
  })

  test.each([
    ['other characters', '++A'],
    ['a line end', '++\n'],
    ['nothing', ''],
    ['too many characters', '+'.repeat(256)],
  ])('with capabilities of %s is refused', async (_words, capabilities) => {
    const client = new Client(node.port)
    await client.sayHello(fleet.enroll(), { capabilities })
    expect((await client.closed).code).toBe(closeCodes.malformed.code)
  })

  test('signed with another key is refused', async () => {
    const client = new Client(node.port)
    await client.sayHello({ ...fleet.enroll(), privateKey: other })
    expect((await client.closed).code).toBe(closeCodes.badSignature.code)
  })

  test('replayed from another socket is refused', async () => {
    const device = fleet.enroll()
    const first = new Client(node.port)
    const hello = await first.sayHello(device)
    await first.next('welcome')
    const second = new Client(node.port)
    await second.next('challenge')
    second.send(encodeUp({ name: 'hello', sequence: 0, body: hello }))
    expect((await second.closed).code).toBe(closeCodes.badSignature.code)
    first.heartbeat(1)
    expect((await first.next('ack')).sequence).toBe(1)
    first.close()
  })

  test('that does not come in time closes the socket', async () => {
    const impatient = await startNode(redis.url, fleet, { limits: { helloMs: 200, sweepMs: 50 } })
    const client = new Client(impatient.port)
    expect((await client.closed).code).toBe(closeCodes.helloTimeout.code)
    await impatient.stop()
  })

  test('sent twice closes the connection', async () => {
    const device = fleet.enroll()
    const client = new Client(node.port)
    const hello = await client.sayHello(device)
    await client.next('welcome')
    client.send(encodeUp({ name: 'hello', sequence: 0, body: hello }))
    expect((await client.closed).code).toBe(closeCodes.unknownType.code)
  })

  test('must be the first frame', async () => {
    const client = new Client(node.port)
    await client.next('challenge')
    client.heartbeat(1)
    expect((await client.closed).code).toBe(closeCodes.unknownType.code)
  })
})

function forged(certificate: string): string {
  const [head, body = '', signature] = certificate.split('.')
  const claims: object = JSON.parse(Buffer.from(body, 'base64url').toString())
  const changed = Buffer.from(JSON.stringify({ ...claims, gen: 99 })).toString('base64url')
  return `${head}.${changed}.${signature}`
}
