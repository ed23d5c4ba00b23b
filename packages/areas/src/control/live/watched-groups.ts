// Which devices are in the groups that members limited to groups watch. Events do not say it: a device comes and goes without
// anything happening to it. So the members of watched groups are read again and again, in one query for the whole process.

import { asSystem } from '@muster/db/database.ts'
import type { Log } from '@muster/kit/log.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import type { GroupDevices } from '../../fleet/devices/index.ts'
import { service } from '../../services.ts'

const lookMs = 400
/** Whoever cannot be shown any more who is in the groups is shown nothing. */
const staleMs = 900

interface Watcher {
  readonly groupIds: readonly string[]
  readonly changed: () => void
}

export class WatchedGroups {
  readonly #system: pg.Pool
  readonly #log: Log
  readonly #watchers = new Set<Watcher>()
  #devices: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  #readAt = 0
  #timer: NodeJS.Timeout | null = null

  constructor(system: pg.Pool, log: Log) {
    this.#system = system
    this.#log = log
  }

  /** @param changed called when the devices of these groups are others than before, which `has` says from then on */
  async watch(groupIds: readonly string[], signal: AbortSignal, changed: () => void): Promise<GroupDevices> {
    const watcher = { groupIds, changed }
    this.#watchers.add(watcher)
    signal.addEventListener('abort', () => this.#watchers.delete(watcher), { once: true })
    if (signal.aborted) this.#watchers.delete(watcher)
    // Its own look: one that is under way may not have asked for these groups.
    await this.#look()
    this.#keepLooking()
    return { has: (deviceId) => groupIds.some((id) => this.#devices.get(id)?.has(deviceId) === true) }
  }

  #keepLooking(): void {
    if (this.#timer !== null || this.#watchers.size === 0) return
    this.#timer = setTimeout(async () => {
      await this.#look().catch((error: unknown) => this.#failed(error))
      this.#timer = null
      this.#keepLooking()
    }, lookMs).unref()
  }

  #failed(error: unknown): void {
    this.#log.warn({ err: error }, 'the devices of watched groups could not be read')
    if (performance.now() - this.#readAt > staleMs) this.#hold(new Map())
  }

  async #look(): Promise<void> {
    const began = performance.now()
    const groupIds = [...new Set([...this.#watchers].flatMap((watcher) => watcher.groupIds))]
    const { rows } = await asSystem(this.#system, (db) =>
      sql<{
        groupId: string
        deviceIds: string[]
      }>`SELECT group_id, array_agg(device_id ORDER BY device_id) AS device_ids
        FROM device_group_members WHERE group_id = ANY (${groupIds}::uuid[]) GROUP BY group_id`.execute(db),
    )
    // Looks can overtake each other; an older one says nothing new.
    if (began < this.#readAt) return
    this.#readAt = began
    this.#hold(new Map(rows.map(({ groupId, deviceIds }) => [groupId, new Set(deviceIds)])))
  }

  #hold(devices: ReadonlyMap<string, ReadonlySet<string>>): void {
    const before = this.#devices
    this.#devices = devices
    for (const { groupIds, changed } of this.#watchers) {
      if (groupIds.some((id) => !sameMembers(before.get(id), devices.get(id)))) changed()
    }
  }
}

const nobody: ReadonlySet<string> = new Set()
const sameMembers = (some: ReadonlySet<string> = nobody, others: ReadonlySet<string> = nobody): boolean =>
  some.size === others.size && [...some].every((id) => others.has(id))

export const watchedGroupsOf = service(({ system, log }) => new WatchedGroups(system, log))
