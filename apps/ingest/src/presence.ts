import { nodeLease, nodeLeaseMs, nodeRenewalMs, nodesKey } from '@muster/backplane/keys.ts'
import { dropPresence, type Holding, takePresence } from '@muster/backplane/presence.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { type DeliveryOrder, livingNodes, sendToNode } from '@muster/backplane/routing.ts'
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
  /** Called when other processes may have considered this node dead: presence has to be announced again. */
  onForgotten: () => void
  /** Called with devices whose key two machines use. */
  onClones: (deviceIds: readonly string[]) => Promise<void>
}

/** A connection that ended. */
interface Dropped {
  readonly holding: Holding
  /** Reports the disconnect once more. */
  readonly report: () => void
  /** It could not be written at first, so workers may have judged its disconnect while presence still named it. */
  isLate: boolean
}

/** Publishes that this node is alive and which devices it holds. */
export class Presence {
  readonly #options: PresenceOptions
  #taken = new Map<string, Holding>()
  #dropped: Dropped[] = []
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

  /** Records a new connection of a device. */
  arrive(connection: Connection, atMs: number): void {
    const { field, bootId } = connection
    // Beyond this limit clones are noticed later: both machines keep reconnecting.
    if (this.#arrived.length < this.#options.limits.arrivalsMax) this.#arrived.push({ field, bootId, atMs })
    this.take(connection)
  }

  /** Records that a device is connected. */
  take(connection: Connection): void {
    this.#taken.set(connection.field, this.#holding(connection))
    this.#schedule()
  }

  /** @param report reports the disconnect once more; called if Redis learns late that the connection ended */
  drop(connection: Connection, report: () => void): void {
    // Beyond this limit a field stays until its device reconnects; orders sent here meanwhile are refused one by one.
    if (this.#dropped.length < this.#options.limits.presenceDropsMax)
      this.#dropped.push({ holding: this.#holding(connection), report, isLate: false })
    this.#schedule()
  }

  /** Writes pending changes; rejects when Redis cannot be reached. */
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
      // Connects before disconnects: a device that connected and left ends up absent, one that reconnected stays.
      const replaced = await takePresence(this.#options.redis, [...taken.values()])
      await dropPresence(
        this.#options.redis,
        dropped.map(({ holding }) => holding),
      )
      await this.#closeReplaced(replaced)
      await this.#options.onClones(await noteRuns(this.#options.redis, arrived))
    } catch (error) {
      for (const each of dropped) each.isLate = true
      for (const [field, holding] of taken) if (!this.#taken.has(field)) this.#taken.set(field, holding)
      this.#dropped = [...dropped, ...this.#dropped].slice(0, this.#options.limits.presenceDropsMax)
      this.#arrived = [...arrived, ...this.#arrived].slice(0, this.#options.limits.arrivalsMax)
      throw error
    }
    for (const { isLate, report } of dropped) if (isLate) report()
  }

  /** Gives up the lease, so that other processes stop routing to this node. */
  async stop(): Promise<void> {
    clearInterval(this.#renewal)
    clearTimeout(this.#flushTimer)
    const { redis, nodeId } = this.#options
    // Removed from the list first: a listed node without a lease counts as dead.
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
      // Retried with the next successful renewal of the lease.
      this.#isFlushing = false
    })
  }

  /** Closes the older connections of devices that another living node still holds. */
  async #closeReplaced(replaced: readonly Holding[]): Promise<void> {
    const { redis, nodeId } = this.#options
    const perNode = new Map<string, DeliveryOrder[]>()
    for (const { node, field, connection } of replaced) {
      if (node === nodeId) continue
      const { code, name } = closeCodes.replaced
      const order: DeliveryOrder = { kind: 'close', deviceId: field, code, reason: name, connection }
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
    const isNew = (await redis.zadd(nodesKey, Date.now(), nodeId)) === 1
    const now = performance.now()
    // A renewal whose answer came too late may have hidden that the lease had expired. Workers remove a node from the list after
    // they took its devices offline.
    const wasOut = this.#renewedAt !== undefined && (before === null || isNew || now - this.#renewedAt > nodeLeaseMs)
    this.#renewedAt = now
    if (wasOut) onForgotten()
    if (this.pending > 0) this.#schedule()
  }
}
