import { nodeLease, nodeLeaseMs, nodeRenewalMs, nodesKey } from '@muster/backplane/keys.ts'
import { dropPresence, type Holding, takePresence } from '@muster/backplane/presence.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { livingNodes, type Order, sendToNode } from '@muster/backplane/routing.ts'
import { type Arrival, noteRuns } from '@muster/backplane/runs.ts'
import type { Log } from '@muster/kit/log.ts'
import { closeCodes } from '@muster/wire/close-codes.ts'
import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'

export interface PresenceOptions {
  redis: Redis
  nodeId: string
  limits: Limits
  log: Log
  /** Called when others may have taken us for dead: everything has to be announced anew. */
  onForgotten: () => void
  /** Called with devices whose key two machines use. */
  onClones: (deviceIds: readonly string[]) => Promise<void>
}

/** Tells the other processes that this node lives and which devices it holds. */
export class Presence {
  readonly #options: PresenceOptions
  #taken = new Map<string, Holding>()
  #dropped: Holding[] = []
  #arrived: Arrival[] = []
  #isFlushing = false
  #flushTimer: NodeJS.Timeout | undefined
  #renewal: NodeJS.Timeout | undefined
  #renewedAt: number | undefined
  readonly #startedAt = Date.now()

  constructor(options: PresenceOptions) {
    this.#options = options
  }

  get pending(): number {
    return this.#taken.size + this.#dropped.length + this.#arrived.length
  }

  async start(): Promise<void> {
    await this.#renew()
    this.#renewal = setInterval(() => {
      this.#renew().catch(() => {})
    }, nodeRenewalMs)
  }

  /** A device has come. */
  arrive(connection: Connection, atMs: number): void {
    const { field, bootId } = connection
    // Beyond this clones are noticed later: two of them keep coming.
    if (this.#arrived.length < this.#options.limits.arrivalsMax) this.#arrived.push({ field, bootId, atMs })
    this.take(connection)
  }

  /** A device is here. */
  take(connection: Connection): void {
    this.#taken.set(connection.field, this.#holding(connection))
    this.#schedule()
  }

  drop(connection: Connection): void {
    // Beyond this a field stays until its device comes back; orders sent here meanwhile are refused one by one.
    if (this.#dropped.length < this.#options.limits.presenceDropsMax) this.#dropped.push(this.#holding(connection))
    this.#schedule()
  }

  /** Writes what is pending; rejects when Redis cannot be reached. */
  async flush(): Promise<void> {
    clearTimeout(this.#flushTimer)
    this.#flushTimer = undefined
    const taken = this.#taken
    const dropped = this.#dropped
    const arrived = this.#arrived
    if (this.pending === 0) return
    this.#taken = new Map()
    this.#dropped = []
    this.#arrived = []
    try {
      // First all that came, then all that went: whoever came and went since ends up gone, whoever came back stays.
      const replaced = await takePresence(this.#options.redis, [...taken.values()])
      await dropPresence(this.#options.redis, dropped)
      await this.#tellReplaced(replaced)
      await this.#options.onClones(await noteRuns(this.#options.redis, arrived))
    } catch (error) {
      for (const [field, holding] of taken) if (!this.#taken.has(field)) this.#taken.set(field, holding)
      this.#dropped = [...dropped, ...this.#dropped].slice(0, this.#options.limits.presenceDropsMax)
      this.#arrived = [...arrived, ...this.#arrived].slice(0, this.#options.limits.arrivalsMax)
      throw error
    }
  }

  /** Gives the lease back: from now on nobody counts on this node. */
  async stop(): Promise<void> {
    clearInterval(this.#renewal)
    clearTimeout(this.#flushTimer)
    const { redis, nodeId } = this.#options
    // Off the list first: whoever finds a listed node without a lease takes it for dead.
    await redis.zrem(nodesKey, nodeId)
    await redis.del(nodeLease(nodeId))
  }

  #holding(connection: Connection): Holding {
    return { field: connection.field, node: this.#options.nodeId, connection: connection.number }
  }

  #schedule(): void {
    if (this.#isFlushing) return
    this.#flushTimer ??= setTimeout(() => this.#flushInBackground(), this.#options.limits.presenceMs)
  }

  #flushInBackground(): void {
    this.#isFlushing = true
    const done = () => {
      this.#isFlushing = false
      if (this.pending > 0) this.#schedule()
    }
    this.flush().then(done, () => {
      // Tried again with the next renewal of the lease that succeeds.
      this.#isFlushing = false
    })
  }

  /** Devices whose older connection is held by another living node are closed there. */
  async #tellReplaced(replaced: readonly Holding[]): Promise<void> {
    const { redis, nodeId } = this.#options
    const perNode = new Map<string, Order[]>()
    for (const { node, field, connection } of replaced) {
      if (node === nodeId) continue
      const { code, name } = closeCodes.replaced
      const order: Order = { kind: 'close', deviceId: field, code, reason: name, connection }
      const orders = perNode.get(node)
      if (orders === undefined) perNode.set(node, [order])
      else orders.push(order)
    }
    if (perNode.size === 0) return
    const alive = await livingNodes(redis, new Set(perNode.keys()))
    await Promise.all(
      [...perNode].map(([node, orders]) => (alive.has(node) ? sendToNode(redis, node, orders) : undefined)),
    )
  }

  async #renew(): Promise<void> {
    const { redis, nodeId, onForgotten } = this.#options
    const lease = JSON.stringify({ startedAt: this.#startedAt, pid: process.pid })
    const before = await redis.set(nodeLease(nodeId), lease, 'PX', nodeLeaseMs, 'GET')
    await redis.zadd(nodesKey, Date.now(), nodeId)
    const now = performance.now()
    // Renewals that were answered too late for us to hear may have hidden that the lease had run out.
    const wasOut = this.#renewedAt !== undefined && (before === null || now - this.#renewedAt > nodeLeaseMs)
    this.#renewedAt = now
    if (wasOut) onForgotten()
    if (this.pending > 0) this.#schedule()
  }
}
