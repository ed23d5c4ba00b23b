// Machines of which some are busy now and then, and others go offline and come back, while a test does something else.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { shardOf } from '@muster/backplane/device-id.ts'
import { nodeLease, nodesKey, presenceHash, presenceShards } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { type TestDevice, TestNode } from './bed.ts'

const tickMs = 100
/** Longer than the second that rules wait. */
const longMs = 1_200
/** Of a change that is not the last. */
const ticksMin = 20
const ticksMax = 80
/** Fewer changes than make an alert flap. */
const changesMax = 4

interface Cpu {
  isBusy: boolean
  changes: number
  /** The tick of the next change. */
  next: number
}

export class Machines {
  readonly #redis: Redis
  readonly #shards: number
  readonly #node = new TestNode()
  readonly #bootId = randomInt(1, 2 ** 47)
  readonly #cpus = new Map<TestDevice, Cpu>()
  readonly #waiting: ((redis: Redis) => Promise<void>)[] = []
  #tick = 0
  #loop = Promise.resolve()
  #isEnding = false
  #isCalm = false

  constructor(redis: Redis, shards: number) {
    this.#redis = redis
    this.#shards = shards
  }

  /** @param busy send heartbeats until `end` */
  async begin(busy: readonly TestDevice[]): Promise<void> {
    await this.#redis.zadd(nodesKey, Date.now(), this.#node.id)
    await this.#redis.set(nodeLease(this.#node.id), '{}', 'PX', 600_000)
    for (const device of busy) this.#cpus.set(device, { isBusy: false, changes: 0, next: randomInt(ticksMax) })
    this.#loop = this.#run()
  }

  /** Every device is normal in the end. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#loop
  }

  /** How often a device became busy. */
  risesOf(device: TestDevice): number {
    return Math.ceil((this.#cpus.get(device)?.changes ?? 0) / 2)
  }

  /** A device connects. */
  connect(device: TestDevice, atMs = Date.now()): void {
    this.#waiting.push(async (redis) => {
      await redis.hset(presenceHash(shardOf(device.id, presenceShards)), device.id, `${this.#node.id}:1`)
      this.#node.connected(device, this.#bootId, atMs)
      await this.#node.append(redis, shardOf(device.id, this.#shards))
    })
  }

  /** A device disconnects for good. */
  disconnect(device: TestDevice, atMs: number): void {
    this.#waiting.push(async (redis) => {
      await redis.hdel(presenceHash(shardOf(device.id, presenceShards)), device.id)
      this.#node.disconnected(device, this.#bootId, atMs)
      await this.#node.append(redis, shardOf(device.id, this.#shards))
    })
  }

  async #run(): Promise<void> {
    while (!this.#isEnding || this.#waiting.length > 0) {
      for (const send of this.#waiting.splice(0)) await send(this.#redis)
      await this.#beat()
      await pause(tickMs)
    }
    // What is busy stays so, and then is not, for as long as rules ask.
    await pause(longMs)
    await this.#beat()
    this.#isCalm = true
    await this.#beat()
    await pause(longMs)
    await this.#beat()
  }

  async #beat(): Promise<void> {
    this.#tick++
    const byShard = Map.groupBy(this.#cpus.keys(), ({ id }) => shardOf(id, this.#shards))
    for (const [shard, devices] of byShard) {
      for (const device of devices)
        this.#node.heartbeat(device, this.#bootId, this.#tick, Date.now(), this.#cpuOf(device))
      await this.#node.append(this.#redis, shard)
    }
  }

  #cpuOf(device: TestDevice): number {
    const cpu = this.#cpus.get(device)
    if (cpu === undefined) return 0
    const isDue = this.#tick >= cpu.next && cpu.changes < changesMax && !this.#isEnding
    if (isDue || (this.#isCalm && cpu.isBusy)) {
      cpu.isBusy = !cpu.isBusy
      cpu.changes++
      cpu.next = this.#tick + randomInt(ticksMin, ticksMax)
    }
    return cpu.isBusy ? 99 : 5
  }
}
