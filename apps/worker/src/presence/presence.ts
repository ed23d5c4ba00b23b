import {
  changeStatuses,
  devicesOfNode,
  endDecommissioned,
  endOverdueUpdates,
  nodesOfDevices,
  noVerdict,
  silentDevices,
  statusEvents,
  statusRowsPerStatement,
  type Verdict,
  verdictEvents,
} from '@muster/areas/fleet/devices/index.ts'
import { nodesKey } from '@muster/backplane/keys.ts'
import { deviceOfField, forgetNodePresence, presenceField } from '@muster/backplane/presence.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { livingNodes, nodesOf } from '@muster/backplane/routing.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import type { Live } from '../heartbeats/live.ts'
import { doubtsMax, leaselessMs } from '../limits.ts'
import type { Doubt } from './connections.ts'

export interface PresenceParts {
  pool: pg.Pool
  redis: Redis
  live: Live
  log: Log
}

/** Corrects the stored status of devices by presence, where the stream is not enough. */
export class Presence {
  readonly #parts: PresenceParts
  /** Holders (device, or device/watchdog) to check again → when. */
  readonly #doubts = new Map<string, number>()
  readonly #quiet = new Set<string>()
  /** Nodes without a lease → when this worker first saw that. */
  readonly #missing = new Map<string, number>()
  /** The same of listed nodes. */
  #leaseless: ReadonlyMap<string, number> = new Map()

  constructor(parts: PresenceParts) {
    this.#parts = parts
  }

  /** Holders whose presence was not final when their records were written. */
  doubt(doubts: readonly Doubt[]): void {
    for (const { field, dueMs } of doubts) if (this.#doubts.size < doubtsMax) this.#doubts.set(field, dueMs)
  }

  /** Devices that sent a heartbeat although their status is offline. */
  hear(deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) if (this.#quiet.size < doubtsMax) this.#quiet.add(deviceId)
  }

  /** Decides the doubts that are due by the current presence. */
  async settle(): Promise<void> {
    const nowMs = Date.now()
    const doubted = [...this.#doubts].flatMap(([field, dueMs]) => (dueMs <= nowMs ? [field] : []))
    const quiet = [...this.#quiet].filter((deviceId) => !this.#doubts.has(deviceId))
    if (doubted.length + quiet.length === 0) return
    const nodes = await nodesOf(this.#parts.redis, [...doubted, ...quiet])
    await this.#apply(verdictsOf([...doubted, ...quiet.filter((deviceId) => nodes.has(deviceId))], nodes, nowMs))
    for (const field of doubted) if ((this.#doubts.get(field) ?? 0) <= nowMs) this.#doubts.delete(field)
    for (const deviceId of quiet) this.#quiet.delete(deviceId)
  }

  /**
   * Takes devices offline that a dead node held. A node is dead when its lease expired and it does not take another: leases of
   * living nodes expire too while Redis is away.
   */
  async sweepNodes(nowMs = Date.now()): Promise<void> {
    const { redis } = this.#parts
    const nodes = await redis.zrange(nodesKey, '0', '-1')
    const alive = await livingNodes(redis, new Set(nodes))
    const before = this.#leaseless
    this.#leaseless = new Map(
      nodes.flatMap((node) => (alive.has(node) ? [] : [[node, before.get(node) ?? nowMs] as const])),
    )
    for (const [node, sinceMs] of this.#leaseless) {
      if (nowMs - sinceMs < leaselessMs) continue
      // A node that stops in order leaves the list before it releases its lease; its devices connect elsewhere.
      if ((await redis.zscore(nodesKey, node)) !== null) await this.#bury(node)
    }
  }

  /** Checks all devices for changes that events may have missed. */
  async reconcile(): Promise<void> {
    const { pool, live } = this.#parts
    await this.#buryUnlisted()
    await this.#endSilent()
    const changes = [...(await endOverdueUpdates(pool)), ...(await endDecommissioned(pool))]
    await live.publish(statusEvents(changes))
  }

  async #bury(node: string): Promise<void> {
    const { pool, redis, log } = this.#parts
    const rows = await devicesOfNode(pool, node)
    log.warn({ node, devices: rows.length }, 'Gateway is gone; its devices are offline unless another one holds them')
    const nowMs = Date.now()
    for (let start = 0; start < rows.length; start += statusRowsPerStatement) {
      const fields = rows
        .slice(start, start + statusRowsPerStatement)
        .flatMap(({ device_id: deviceId, agent, watchdog }) => [
          ...(agent === true ? [presenceField(deviceId, 'agent')] : []),
          ...(watchdog === true ? [presenceField(deviceId, 'watchdog')] : []),
        ])
      const nodes = await nodesOf(redis, fields)
      const left = fields.filter((field) => !nodes.has(field))
      await forgetNodePresence(redis, node, left)
      await this.#apply(verdictsOf(fields, nodes, nowMs))
    }
    await redis.zrem(nodesKey, node)
  }

  /** Nodes of devices that Redis does not know, because it lost them or they died while it was unavailable. */
  async #buryUnlisted(): Promise<void> {
    const nodes = await nodesOfDevices(this.#parts.pool)
    const alive = await livingNodes(this.#parts.redis, new Set(nodes))
    const gone = nodes.filter((node) => !alive.has(node))
    for (const node of this.#missing.keys()) if (!gone.includes(node)) this.#missing.delete(node)
    for (const node of gone) {
      // A living node renews its lease before the next check.
      if (this.#missing.has(node)) await this.#bury(node)
      else this.#missing.set(node, Date.now())
    }
  }

  /** Takes devices offline that no node holds and that were not seen for some heartbeat intervals. */
  async #endSilent(): Promise<void> {
    const deviceIds = await silentDevices(this.#parts.pool)
    const nodes = await nodesOf(this.#parts.redis, deviceIds)
    const gone = deviceIds.filter((deviceId) => !nodes.has(deviceId))
    await this.#apply(verdictsOf(gone, nodes, Date.now()))
  }

  async #apply(verdicts: readonly Verdict[]): Promise<void> {
    const { pool, live } = this.#parts
    await live.publish(verdictEvents(await changeStatuses(pool, verdicts)))
  }
}

/** Verdicts by presence; agent and watchdog of one device share a verdict. */
function verdictsOf(fields: readonly string[], nodes: ReadonlyMap<string, string>, atMs: number): Verdict[] {
  const verdicts = new Map<string, Verdict>()
  for (const field of fields) {
    const deviceId = deviceOfField(field)
    const before = verdicts.get(deviceId) ?? noVerdict(deviceId, atMs)
    const node = nodes.get(field) ?? null
    const found: Partial<Verdict> =
      field === deviceId
        ? { status: node === null ? 'offline' : 'online', node }
        : { watchdog: node === null ? 'disconnected' : 'connected', watchdogNode: node }
    verdicts.set(deviceId, { ...before, ...found })
  }
  return [...verdicts.values()]
}
