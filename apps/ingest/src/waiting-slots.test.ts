import { connect, type Socket } from 'node:net'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import type { Ticket } from '@muster/wire/messages/ticket.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createConnection } from './connection.ts'
import { limits } from './limits.ts'
import { Client } from './testing/client.ts'
import { createFleet, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'
import { requestUpgrade } from './testing/upgrade.ts'
import { originOfUpgrade, WaitingSlots } from './waiting-slots.ts'

let redis: OwnRedis
let fleet: Fleet
beforeAll(async () => {
  redis = await startOwnRedis()
  fleet = createFleet()
})
afterAll(async () => {
  await redis?.stop()
  fleet?.remove()
})

const upgrade = [
  'GET /agent HTTP/1.1',
  'Host: 127.0.0.1',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
  'Sec-WebSocket-Protocol: muster.v1',
]

/** A host that repeatedly opens sockets and sends nothing on them. */
class SilentHost {
  readonly statuses: number[] = []
  readonly #node: Node
  readonly #address: string
  readonly #sockets = new Set<Socket>()
  #stopped = false

  constructor(node: Node, address: string) {
    this.#node = node
    this.#address = address
  }

  /** How many of its sockets are open. */
  get held(): number {
    return [...this.#sockets].filter((socket) => socket.readyState === 'open').length
  }

  /** Keeps `count` sockets open or opening until it is stopped. */
  flood(count: number): void {
    for (let n = 0; n < count; n++) this.#open()
  }

  stop(): void {
    this.#stopped = true
    for (const socket of this.#sockets) socket.destroy()
  }

  #open(): void {
    const socket = connect({ port: this.#node.port, host: '127.0.0.1', localAddress: this.#address })
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => {
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1])
      this.statuses.push(status)
      if (status !== 101) socket.destroy()
    })
    socket.on('close', () => {
      this.#sockets.delete(socket)
      if (!this.#stopped) setImmediate(() => this.#open())
    })
    socket.write(`${upgrade.join('\r\n')}\r\n\r\n`)
  }
}

describe('while one host floods', () => {
  let node: Node
  let host: SilentHost
  beforeAll(async () => {
    // Silent sockets keep their slots for the whole test.
    node = await startNode(redis.url, fleet, {
      limits: { waitingMax: 80, helloMs: 60_000, helloPressedMs: 60_000 },
      settings: { ADMISSIONS_PER_SECOND: '1000', TRUSTED_PROXIES: '127.0.0.5' },
    })
    host = new SilentHost(node, '127.0.0.9')
  })
  afterAll(async () => {
    host?.stop()
    await node?.stop()
  })

  test('limits it to a quarter of the waiting slots, and lets agents with and without tickets reconnect at once', async () => {
    const tickets: Ticket[] = []
    while (tickets.length < 30) {
      const client = new Client(node.port)
      await client.sayHello(fleet.enroll(), { tickets: true })
      tickets.push((await client.next('ticket')).body)
      client.close()
      await client.closed
    }
    host.flood(200)
    await expect
      .poll(() => host.statuses.filter((status) => status === 503).length, { timeout: 10_000 })
      .toBeGreaterThan(500)
    const began = performance.now()
    for (const ticket of tickets) {
      const client = new Client(node.port)
      await client.sayResume(ticket)
      await client.next('welcome')
      client.close()
    }
    await Client.welcomed(node.port, fleet.enroll())
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(await node.metric('muster_ingest_waiting_sockets')).toBe(20)
    expect(host.statuses.filter((status) => status === 101)).toHaveLength(20)
  })

  test('takes the origin from the header of a trusted proxy, and from the peer address otherwise', async () => {
    const from = (address: string, forwarded: string) =>
      requestUpgrade(node.port, { 'x-forwarded-for': forwarded }, address)
    expect((await from('127.0.0.9', '192.0.2.1')).status).toBe(503)
    expect((await from('127.0.0.5', '127.0.0.9')).status).toBe(503)
    expect((await from('127.0.0.5', '192.0.2.1, 127.0.0.9')).status).toBe(503)
    expect((await from('127.0.0.5', '127.0.0.9, 192.0.2.1')).status).toBe(101)
    expect((await from('127.0.0.5', '')).status).toBe(101)
  })
})

test('admits five hundred agents behind one address at once', async () => {
  const node = await startNode(redis.url, fleet)
  const devices = Array.from({ length: 500 }, () => fleet.enroll())
  const began = performance.now()
  await Promise.all(devices.map((device) => Client.welcomed(node.port, device)))
  console.log(`500 agents of one address reconnected after ${Math.round(performance.now() - began)} ms`)
  expect(await node.metric('muster_ingest_upgrades_refused_total')).toBe(0)
  await node.stop()
}, 60_000)

test('closes silent sockets sooner when slots run short', async () => {
  const node = await startNode(redis.url, fleet, {
    limits: { waitingMax: 40, helloMs: 60_000, helloPressedMs: 300, sweepMs: 50 },
  })
  const few = new SilentHost(node, '127.0.0.10')
  few.flood(4)
  await expect.poll(() => few.statuses.length).toBe(4)
  const host = new SilentHost(node, '127.0.0.9')
  host.flood(10)
  // Its own slots become free again and again; those of a host with few sockets are not affected.
  await expect
    .poll(() => host.statuses.filter((status) => status === 101).length, { timeout: 15_000 })
    .toBeGreaterThan(30)
  expect(few.statuses).toEqual([101, 101, 101, 101])
  expect(few.held).toBe(4)
  for (const each of [few, host]) each.stop()
  await node.stop()
})

describe('waiting slots', () => {
  const small = { ...limits, waitingMax: 8 }
  const taken = (slots: WaitingSlots, origin: string) => {
    const connections = []
    while (!slots.isFull && !slots.isShareTaken(origin)) {
      const connection = createConnection(1, 0)
      slots.take(connection, origin)
      connections.push(connection)
    }
    return connections
  }

  test('give one origin a quarter, and four origins all', () => {
    const slots = new WaitingSlots(small)
    expect(['a', 'b', 'c', 'd', 'e'].map((origin) => taken(slots, origin).length)).toEqual([2, 2, 2, 2, 0])
  })

  test('are released once', () => {
    const slots = new WaitingSlots(small)
    const [first] = taken(slots, 'a')
    if (first === undefined) throw new Error('there was no free slot')
    slots.release(first)
    slots.release(first)
    expect([slots.size, taken(slots, 'a').length]).toEqual([1, 1])
  })

  test('count per IPv4 address or IPv6 /64', () => {
    const proxies = ['10.0.0.0/8', '::1']
    expect(originOfUpgrade('192.0.2.1', '198.51.100.1', proxies)).toBe('192.0.2.1')
    expect(originOfUpgrade('10.0.0.1', '198.51.100.1, 203.0.113.7, 10.2.3.4', proxies)).toBe('203.0.113.7')
    expect(originOfUpgrade('10.0.0.1', 'unknown', proxies)).toBe('10.0.0.1')
    expect(originOfUpgrade('::ffff:192.0.2.1', '', [])).toBe('192.0.2.1')
    expect(originOfUpgrade('2001:0db8:0001:0002:0000:0000:0000:0003', '', [])).toBe('2001:db8:1:2::/64')
    expect(originOfUpgrade('2001:db8:1:2:ffff::9', '', [])).toBe('2001:db8:1:2::/64')
  })
})
