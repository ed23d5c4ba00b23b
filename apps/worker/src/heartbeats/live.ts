import { type Heartbeats, readPlaces } from '@muster/areas/fleet/devices/index.ts'
import { deviceHeartbeat, deviceStatus } from '@muster/areas/fleet/devices/state/device-events.contract.ts'
import { liveEvent, type PartnerEvent, publishEvents } from '@muster/areas/platform/live-events/index.ts'
import { liveChannel } from '@muster/backplane/keys.ts'
import { watchedChannels } from '@muster/backplane/live.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { heartbeatFields, type Sample } from '@muster/wire/messages/heartbeat.ts'
import type pg from 'pg'
import { watchersRefreshMs } from '../limits.ts'
import type { WorkerMetrics } from '../metrics.ts'
import type { Decoded } from './decoded.ts'
import type { Plan } from './fold.ts'
import type { DeviceTable } from './known-devices.ts'

/** A read whose heartbeats are stored. */
interface WrittenRead {
  readonly decoded: Pick<Decoded, 'heartbeats'>
  readonly devices: DeviceTable
  readonly plan: Pick<Plan, 'newest' | 'after'>
}

/** Publishes what was stored. Events are not kept: a watcher that misses one reads the state. */
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

  async publish(events: readonly PartnerEvent[]): Promise<void> {
    this.#metrics.liveEvents.inc(events.length)
    for (const { event } of events)
      if (event.type === deviceStatus.name) this.#metrics.statusChanges.inc({ status: String(event.status) })
    await publishEvents(this.#redis, events)
  }

  /** Publishes the newest heartbeat of each device whose partner has watchers. */
  async heartbeats(reads: readonly WrittenRead[]): Promise<void> {
    const watched = await this.#watchedPartners()
    if (watched !== 'all' && watched.size === 0) return
    const rows = new Map<string, [Heartbeats, number]>()
    for (const { decoded, devices, plan } of reads) {
      for (const row of plan.newest) {
        const device = decoded.heartbeats.device[row] ?? 0
        const partnerId = plan.after[device]?.partnerId
        if (watched === 'all' || (partnerId !== undefined && watched.has(liveChannel(partnerId))))
          rows.set(devices.id(device), [decoded.heartbeats, row])
      }
    }
    if (rows.size === 0) return
    // The tenant may have changed since the device was looked up, and events must reach the current one only.
    const places = await readPlaces(this.#pool, [...rows.keys()])
    await this.publish(
      places.flatMap(({ partnerId, ...place }) => {
        const [heartbeats, row] = rows.get(place.deviceId) ?? []
        if (heartbeats === undefined || row === undefined) return []
        const fields = { ...place, at: heartbeats.atMs[row] ?? 0, ...figuresOf(heartbeats, row) }
        return [liveEvent(deviceHeartbeat, partnerId, fields)]
      }),
    )
  }

  /** The channels with subscribers, as of at most a second ago. */
  async #watchedPartners(): Promise<ReadonlySet<string> | 'all'> {
    const now = Date.now()
    if (now - this.#watchedAt < watchersRefreshMs) return this.#watched
    this.#watchedAt = now
    this.#watched = await watchedChannels(this.#redis)
    return this.#watched
  }
}

type Figures = Partial<Sample>

function figuresOf(heartbeats: Heartbeats, row: number): Figures {
  const figures: Figures = {}
  for (const [field, { name }] of heartbeatFields.entries()) {
    const value = heartbeats.figures[field]?.[row] ?? Number.NaN
    figures[name] = Number.isNaN(value) ? null : value
  }
  return figures
}
