import { nodesKey } from '@muster/backplane/keys.ts'
import { deviceOfField, forgetNodePresence, presenceField } from '@muster/backplane/presence.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { livingNodes, nodesOf } from '@muster/backplane/routing.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import type { Doubt } from './connections.ts'
import { changeStatuses, noVerdict, type StatusChange, type Verdict } from './device-status.ts'
import type { DeviceChange } from './inventory.ts'
import { doubtsMax, silentDeviceMs, statusRowsPerStatement, updatingMaxMs } from './limits.ts'
import type { Live } from './live.ts'
import type { WorkerMetrics } from './metrics.ts'

export interface PresenceParts {
  pool: pg.Pool
  redis: Redis
  live: Live
  metrics: WorkerMetrics
  log: Log
}

const statusColumns = `d.device_id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", v.site_id AS "siteId",
  d.status, (extract(epoch FROM d.status_at) * 1000)::float8 AS "atMs"`

/** Keeps the stored status of devices true to who holds them, where the stream alone cannot tell. */
export class Presence {
  readonly #parts: PresenceParts
  /** Holders (device, or device/watchdog) to be looked at again → when. */
  readonly #doubts = new Map<string, number>()
  readonly #quiet = new Set<string>()
  /** Nodes without a lease → since when, as this worker saw it. */
  readonly #missing = new Map<string, number>()

  constructor(parts: PresenceParts) {
    this.#parts = parts
  }

  /** Holders whose presence was still in motion when their records came by. */
  doubt(doubts: readonly Doubt[]): void {
    for (const { field, dueMs } of doubts) if (this.#doubts.size < doubtsMax) this.#doubts.set(field, dueMs)
  }

  /** Devices that are heard though they count as offline. */
  hear(deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) if (this.#quiet.size < doubtsMax) this.#quiet.add(deviceId)
  }

  /** Decides the doubtful ones by what presence says now. */
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

  /** Takes devices offline that a dead node held. A node is dead when its lease has run out. */
  async sweepNodes(): Promise<void> {
    const { redis } = this.#parts
    const nodes = await redis.zrange(nodesKey, '0', '-1')
    const alive = await livingNodes(redis, new Set(nodes))
    for (const node of nodes) {
      // One that stopped in order has taken itself off the list before it gave up its lease; its devices are on their way.
      if (!alive.has(node) && (await redis.zscore(nodesKey, node)) !== null) await this.#bury(node)
    }
  }

  /** What events may have missed: a look over all devices. */
  async reconcile(): Promise<void> {
    await this.#buryUnlisted()
    await this.#endSilent()
    const { pool } = this.#parts
    const overdue = await pool.query<StatusChange>({
      name: 'end-overdue-updates',
      text: `UPDATE device_state d SET status = 'offline', status_at = now(), updating_since = NULL,
          main_agent_silent_since = CASE WHEN d.watchdog_status IN ('connected', 'failover') THEN coalesce(d.main_agent_silent_since, now()) END
        FROM devices v
        WHERE v.id = d.device_id AND d.status = 'updating'
          AND coalesce(d.updating_since, d.status_at) < now() - interval '${updatingMaxMs} milliseconds'
        RETURNING ${statusColumns}`,
    })
    const retired = await pool.query<StatusChange>({
      name: 'end-decommissioned',
      text: `UPDATE device_state d SET status = 'offline', status_at = now(), node = NULL, main_agent_silent_since = NULL FROM devices v
        WHERE v.id = d.device_id AND d.status <> 'offline' AND v.lifecycle = 'decommissioned'
        RETURNING ${statusColumns}`,
    })
    await this.#tell([...overdue.rows, ...retired.rows])
  }

  async #bury(node: string): Promise<void> {
    const { pool, redis, log } = this.#parts
    const { rows } = await pool.query<{ device_id: string; agent: boolean | null; watchdog: boolean | null }>({
      name: 'find-devices-of-node',
      text: `SELECT device_id, node = $1 AS agent, watchdog_node = $1 AS watchdog FROM device_state
        WHERE node = $1 OR watchdog_node = $1`,
      values: [node],
    })
    log.warn({ node, devices: rows.length }, 'a node is gone')
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

  /** Nodes that devices are said to be on, but that Redis does not know: it lost them, or they died while it was away. */
  async #buryUnlisted(): Promise<void> {
    const { rows } = await this.#parts.pool.query<{ node: string }>({
      name: 'find-nodes',
      text: `SELECT node FROM device_state WHERE node IS NOT NULL
        UNION SELECT watchdog_node FROM device_state WHERE watchdog_node IS NOT NULL`,
    })
    const nodes = rows.map((row) => row.node)
    const alive = await livingNodes(this.#parts.redis, new Set(nodes))
    const gone = nodes.filter((node) => !alive.has(node))
    for (const node of this.#missing.keys()) if (!gone.includes(node)) this.#missing.delete(node)
    for (const node of gone) {
      // A node that lives renews its lease before this is asked a second time.
      if (this.#missing.has(node)) await this.#bury(node)
      else this.#missing.set(node, Date.now())
    }
  }

  /** Devices that count as online, but have not been heard for some intervals and are held by nobody. */
  async #endSilent(): Promise<void> {
    const { rows } = await this.#parts.pool.query<{ device_id: string }>({
      name: 'find-silent',
      text: `SELECT device_id FROM device_state WHERE status = 'online'
        AND greatest(last_seen_at, status_at) < now() - interval '${silentDeviceMs} milliseconds'
        LIMIT ${statusRowsPerStatement}`,
    })
    const deviceIds = rows.map((row) => row.device_id)
    const nodes = await nodesOf(this.#parts.redis, deviceIds)
    const nowMs = Date.now()
    await this.#apply(
      verdictsOf(
        deviceIds.filter((deviceId) => !nodes.has(deviceId)),
        nodes,
        nowMs,
      ),
    )
  }

  async #apply(verdicts: readonly Verdict[]): Promise<void> {
    const { statuses, devices } = await changeStatuses(this.#parts.pool, verdicts)
    await this.#tell(statuses, devices)
  }

  async #tell(statuses: readonly StatusChange[], devices: readonly DeviceChange[] = []): Promise<void> {
    const { metrics, live } = this.#parts
    for (const { status } of statuses) metrics.statusChanges.inc({ status })
    await live.changes({ statuses, devices })
  }
}

/** What presence says of these holders; agent and watchdog of one device in one verdict. */
function verdictsOf(fields: readonly string[], nodes: ReadonlyMap<string, string>, atMs: number): Verdict[] {
  const verdicts = new Map<string, Verdict>()
  for (const field of fields) {
    const deviceId = deviceOfField(field)
    const before = verdicts.get(deviceId) ?? noVerdict(deviceId, atMs)
    const node = nodes.get(field) ?? null
    const said: Partial<Verdict> =
      field === deviceId
        ? { status: node === null ? 'offline' : 'online', node }
        : { watchdog: node === null ? 'disconnected' : 'connected', watchdogNode: node }
    verdicts.set(deviceId, { ...before, ...said })
  }
  return [...verdicts.values()]
}
