import { liveChannel } from '@muster/backplane/keys.ts'
import { type LiveEvent, publishLive, watchedChannels } from '@muster/backplane/live.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { heartbeatFields } from '@muster/wire/messages/heartbeat.ts'
import type pg from 'pg'
import type { CommandChange, CommandOutput } from './command-events.ts'
import type { Heartbeats } from './decoded.ts'
import type { StatusChange } from './device-status.ts'
import type { DeviceChange } from './inventory.ts'
import { liveEventsPerMessage, watchersRefreshMs } from './limits.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { Prepared } from './writer.ts'

const findTenants = {
  name: 'find-tenants',
  text: 'SELECT id, org_id, partner_id, site_id FROM devices WHERE id = ANY($1::uuid[])',
}

interface Tenant {
  id: string
  org_id: string
  partner_id: string
  site_id: string | null
}

interface Changes {
  statuses?: readonly StatusChange[]
  devices?: readonly DeviceChange[]
  commands?: readonly CommandChange[]
  outputs?: readonly CommandOutput[]
}

/** Tells whoever watches what has been stored. Nothing here is kept: a watcher that misses it reads it. */
export class Live {
  readonly #redis: Redis
  readonly #pool: pg.Pool
  readonly #metrics: WorkerMetrics
  #watched: ReadonlySet<string> | 'all' = new Set()
  #watchedAt = 0

  constructor(redis: Redis, pool: pg.Pool, metrics: WorkerMetrics) {
    this.#redis = redis
    this.#pool = pool
    this.#metrics = metrics
  }

  /** Publishes changes of state: few, and somebody may wait for each. */
  async changes({ statuses = [], devices = [], commands = [], outputs = [] }: Changes): Promise<void> {
    const events = new Map<string, LiveEvent[]>()
    for (const { status, ...place } of statuses) add(events, place, { type: 'device.status', status })
    for (const { changed, ...place } of devices) add(events, place, { type: 'device.changed', changed })
    for (const { commandId, commandType, status, exitCode, ...place } of commands)
      add(events, place, { type: 'command.changed', commandId, commandType, status, exitCode })
    for (const { commandId, ...place } of outputs) add(events, place, { type: 'command.output', commandId })
    await this.#publish(events)
  }

  /** Publishes the newest heartbeat of each device, as far as its partner has watchers. */
  async heartbeats(works: readonly Prepared[]): Promise<void> {
    const watched = await this.#watchedPartners()
    if (watched !== 'all' && watched.size === 0) return
    const rows = new Map<string, [Heartbeats, number]>()
    for (const { decoded, devices, plan } of works) {
      for (const row of plan.newest) {
        const device = decoded.heartbeats.device[row] ?? 0
        const partnerId = plan.after[device]?.partnerId
        if (watched === 'all' || (partnerId !== undefined && watched.has(liveChannel(partnerId))))
          rows.set(devices.id(device), [decoded.heartbeats, row])
      }
    }
    if (rows.size === 0) return
    // Where a device belongs may have changed since it was looked up: what goes out is what holds now.
    const { rows: tenants } = await this.#pool.query<Tenant>({ ...findTenants, values: [[...rows.keys()]] })
    const events = new Map<string, LiveEvent[]>()
    for (const tenant of tenants) {
      const [heartbeats, row] = rows.get(tenant.id) ?? []
      if (heartbeats !== undefined && row !== undefined) addHeartbeat(events, tenant, heartbeats, row)
    }
    await this.#publish(events)
  }

  /** The channels that somebody listens to; asked anew now and then. */
  async #watchedPartners(): Promise<ReadonlySet<string> | 'all'> {
    const now = Date.now()
    if (now - this.#watchedAt < watchersRefreshMs) return this.#watched
    this.#watchedAt = now
    this.#watched = await watchedChannels(this.#redis)
    return this.#watched
  }

  async #publish(perPartner: ReadonlyMap<string, LiveEvent[]>): Promise<void> {
    const messages: Promise<void>[] = []
    for (const [partnerId, events] of perPartner) {
      this.#metrics.liveEvents.inc(events.length)
      for (let start = 0; start < events.length; start += liveEventsPerMessage)
        messages.push(publishLive(this.#redis, partnerId, events.slice(start, start + liveEventsPerMessage)))
    }
    await Promise.all(messages)
  }
}

interface Place {
  deviceId: string
  orgId: string
  partnerId: string
  siteId: string | null
  atMs: number
}

function addHeartbeat(events: Map<string, LiveEvent[]>, tenant: Tenant, heartbeats: Heartbeats, row: number): void {
  const figures = heartbeatFields.map(({ name }, field) => {
    const value = heartbeats.figures[field]?.[row] ?? Number.NaN
    return [name, Number.isNaN(value) ? null : value]
  })
  const place = {
    deviceId: tenant.id,
    orgId: tenant.org_id,
    partnerId: tenant.partner_id,
    siteId: tenant.site_id,
    atMs: heartbeats.atMs[row] ?? 0,
  }
  add(events, place, { type: 'device.heartbeat', ...Object.fromEntries(figures) })
}

function add(
  events: Map<string, LiveEvent[]>,
  { partnerId, atMs, orgId, siteId, deviceId }: Place,
  what: Pick<LiveEvent, 'type'> & Record<string, unknown>,
): void {
  const event: LiveEvent = { orgId, siteId, deviceId, at: atMs, ...what }
  const list = events.get(partnerId)
  if (list === undefined) events.set(partnerId, [event])
  else list.push(event)
}
