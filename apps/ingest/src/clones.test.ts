// Two machines with one key, and situations that only look like it.
import { randomInt } from 'node:crypto'
import { publishGeneration } from '@muster/backplane/generations.ts'
import { clonesKey, generationsKey, quarantinedGeneration } from '@muster/backplane/keys.ts'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
import { cloneWindowMs, forgetRuns, noteRuns } from '@muster/backplane/runs.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { closeCodes } from '@muster/wire/close-codes.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from './testing/client.ts'
import { createFleet, type Device, type Fleet } from './testing/fleet.ts'
import { type Node, startNode } from './testing/node.ts'
import { until } from './testing/until.ts'

let redis: OwnRedis
let commands: Redis
let fleet: Fleet
let nodes: [Node, Node]

beforeAll(async () => {
  redis = await startOwnRedis()
  commands = connectRedis(redis.url, 'test')
  await untilReady(commands, 10_000)
  fleet = createFleet()
  nodes = [await startNode(redis.url, fleet), await startNode(redis.url, fleet)]
})
afterAll(async () => {
  for (const node of nodes ?? []) await node.stop()
  commands?.disconnect()
  await redis?.stop()
  fleet?.remove()
})

/** A machine with its own boot ID, on the nodes in turn unless one is given. */
class Machine {
  readonly bootId = randomInt(1, 2 ** 47)
  readonly #device: Device

  constructor(device: Device) {
    this.#device = device
  }

  /** Connects, and waits until the run is recorded: a clone is detected only against recorded runs. */
  async come(node: Node): Promise<Client> {
    const client = await Client.welcomed(node.port, this.#device, { bootId: this.bootId })
    await until(async () => (await runsOf(this.#device)).endsWith(String(this.bootId)))
    return client
  }

  /** The close code with which the server refuses it now; 0 when it accepts it. */
  async ask(node: Node): Promise<number> {
    const client = new Client(node.port)
    await client.sayHello(this.#device, { bootId: this.bootId })
    const welcome = await client.next('welcome').catch(() => undefined)
    if (welcome !== undefined) client.close()
    return welcome === undefined ? (await client.closed).code : 0
  }
}

async function runsOf({ deviceId }: Device): Promise<string> {
  const keys = await commands.keys('runs:*')
  const values = await Promise.all(keys.map((key) => commands.hget(key, deviceId)))
  return values.join('').replace(/@\d+$/, '')
}
const isLockedOut = async ({ deviceId }: Device) =>
  (await commands.hget(generationsKey, deviceId)) === String(quarantinedGeneration)

describe('one key on two machines', () => {
  test.each([
    ['of one node', 0],
    ['of two nodes', 1],
  ] as const)('with two live sockets %s: closes both with the reason and refuses both', async (_, second) => {
    const device = fleet.enroll()
    const [first, other] = [nodes[0], nodes[second]]
    const [original, clone] = [new Machine(device), new Machine(device)]
    const before = await original.come(first)
    const taker = await clone.come(other)
    expect((await before.closed).code).toBe(closeCodes.replaced.code)
    expect(await isLockedOut(device)).toBe(false)
    const back = await Client.welcomed(first.port, device, { bootId: original.bootId })
    expect(await back.closed).toEqual({ code: closeCodes.quarantined.code, reason: 'quarantined' })
    await taker.closed
    expect(await commands.hexists(clonesKey, device.deviceId)).toBe(1)
    for (const node of nodes)
      for (const machine of [original, clone]) expect(await machine.ask(node)).toBe(closeCodes.quarantined.code)
  })

  test('is accepted again once a person released it: the next machine to connect counts', async () => {
    const device = fleet.enroll()
    const [original, clone] = [new Machine(device), new Machine(device)]
    for (const machine of [original, clone]) await machine.come(nodes[0])
    await (await Client.welcomed(nodes[0].port, device, { bootId: original.bootId })).closed
    await forgetRuns(commands, device.deviceId)
    await publishGeneration(commands, device.deviceId, 1)
    await until(async () => (await clone.ask(nodes[0])) === 0)
    const released = await clone.come(nodes[0])
    released.heartbeat(1)
    expect((await released.next('ack')).sequence).toBe(1)
    released.close()
  })
})

describe('is not detected', () => {
  test('for one run that reconnects fifty times, half of them before its old socket is closed', async () => {
    const device = fleet.enroll()
    const machine = new Machine(device)
    for (let times = 0; times < 50; times++) {
      const node = nodes[times % 2] ?? nodes[0]
      const client = await Client.welcomed(node.port, device, { bootId: machine.bootId })
      if (times % 4 < 2) client.close()
    }
    const last = await machine.come(nodes[0])
    expect(await isLockedOut(device)).toBe(false)
    last.close()
  })

  test('for a machine that restarts its agent repeatedly', async () => {
    const device = fleet.enroll()
    for (let times = 0; times < 10; times++) await new Machine(device).come(nodes[times % 2] ?? nodes[0])
    expect(await isLockedOut(device)).toBe(false)
  })

  test('for an agent and its watchdog', async () => {
    const device = fleet.enroll()
    for (let times = 0; times < 3; times++)
      for (const [role, bootId] of [['agent', 11] as const, ['watchdog', 12] as const])
        (await Client.welcomed(nodes[0].port, device, { role, bootId })).close()
    await new Machine(device).come(nodes[0])
    expect(await isLockedOut(device)).toBe(false)
  })

  test('for agents that move between nodes during a rolling restart', async () => {
    const machines = Array.from({ length: 5 }, () => {
      const device = fleet.enroll()
      return { device, bootId: randomInt(1, 2 ** 47) }
    })
    for (let restarts = 0; restarts < 3; restarts++) {
      const node = await startNode(redis.url, fleet)
      const clients = await Promise.all(
        machines.map(({ device, bootId }) => Client.welcomed(node.port, device, { bootId })),
      )
      await node.stop()
      for (const client of clients) expect((await client.closed).code).toBe(closeCodes.goingAway.code)
    }
    for (const { device } of machines) expect(await isLockedOut(device)).toBe(false)
  })

  test('when a connect is recorded late, or an earlier run returns long after the later one', async () => {
    const [{ deviceId: late }, { deviceId: snapshot }] = [fleet.enroll(), fleet.enroll()]
    const come = (field: string, bootId: number, atMs: number) => noteRuns(commands, [{ field, bootId, atMs }])
    for (const [bootId, atMs] of [[1, 1_000] as const, [2, 3_000] as const, [1, 2_000] as const])
      expect(await come(late, bootId, atMs)).toEqual([])
    await come(snapshot, 1, 1_000)
    await come(snapshot, 2, 2_000)
    expect(await come(snapshot, 1, 2_001 + cloneWindowMs)).toEqual([])
    expect(await come(snapshot, 2, 3_000 + cloneWindowMs)).toEqual([snapshot])
  })
})
