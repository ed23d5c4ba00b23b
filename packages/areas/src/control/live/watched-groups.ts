// The devices in the groups to which watching members are limited. Events do not contain groups, and group membership changes
// without an event of the device. So the members of watched groups are polled, in one query for the process.

import { asSystem } from '@muster/db/database.ts'
import type { Log } from '@muster/kit/log.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import type { GroupDevices } from '../../fleet/devices/index.ts'
import { service } from '../../services.ts'

const lookMs = 400
/** After this time without a successful read, watchers see no devices. */
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

  /** @param changed called after the devices of these groups changed */
  async watch(groupIds: readonly string[], signal: AbortSignal, changed: () => void): Promise<GroupDevices> {
    const watcher = { groupIds, changed }
    this.#watchers.add(watcher)
    signal.addEventListener('abort', () => this.#watchers.delete(watcher), { once: true })
    if (signal.aborted) this.#watchers.delete(watcher)
    // A read that is in progress may not include these groups.
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
    this.#log.warn({ err: error }, 'Devices of watched groups could not be read')
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
    // Reads can overtake each other; the result of an older one is outdated.
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

const none: ReadonlySet<string> = new Set()
const sameMembers = (some: ReadonlySet<string> = none, others: ReadonlySet<string> = none): boolean =>
  some.size === others.size && [...some].every((id) => others.has(id))

export const watchedGroupsOf = service(({ system, log }) => new WatchedGroups(system, log))
