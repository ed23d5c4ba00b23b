// Hands the changes of devices to what follows them. They are read once for all of them.
import { asSystem, readAsSystem } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Job } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import type { DeviceChange, StateOwner } from './change-follower.ts'

type Parts = Pick<WorkerParts, 'pool' | 'log' | 'changeFollowers'>

const changesAtOnce = 5_000
const lookMs = 500
/** Heartbeats change states all the time. */
const statesMs = 1_500
const firstLookMs = 60_000

interface ChangeRow extends Omit<DeviceChange, 'fields'> {
  readonly fields: readonly string[]
}

interface QueuedRow extends ChangeRow {
  readonly seq: number
}

/** One change per device, where it is now. */
function combined(rows: readonly ChangeRow[]): DeviceChange[] {
  const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId)
  return [...byDevice.values()].flatMap((its) => {
    const last = its.at(-1)
    if (last === undefined) return []
    const { deviceId, orgId, partnerId } = last
    return [{ deviceId, orgId, partnerId, fields: new Set(its.flatMap(({ fields }) => fields)) }]
  })
}

/** Reads the changes of devices, one turn after the other. What was before its first look at states is left to sweeps. */
export class ChangeFeed {
  readonly #parts: Parts
  #statesSince = new Date(Date.now() - firstLookMs).toISOString()
  #statesAtMs = Number.NEGATIVE_INFINITY

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Hands over what changed until now. A change is forgotten when all followers have taken it.
   * @param nowMs of the process; states are looked at less often
   */
  async turn(nowMs: number): Promise<void> {
    const states = nowMs - this.#statesAtMs < statesMs ? null : await this.#changedStates()
    for (let rest: ChangeRow[] = states?.rows ?? []; ; rest = []) {
      const queued = await this.#queued()
      const changes = combined([...queued, ...rest])
      if (changes.length > 0) await this.#hand(changes)
      await this.#forget(queued)
      if (queued.length < changesAtOnce) break
    }
    if (states === null) return
    this.#statesSince = states.now
    this.#statesAtMs = nowMs
  }

  async #queued(): Promise<QueuedRow[]> {
    const { rows } = await this.#parts.pool.query<QueuedRow>({
      name: 'read-device-changes',
      text: `SELECT seq, device_id AS "deviceId", org_id AS "orgId", partner_id AS "partnerId", fields
        FROM device_changes ORDER BY seq LIMIT ${changesAtOnce}`,
    })
    return rows
  }

  async #forget(queued: readonly QueuedRow[]): Promise<void> {
    if (queued.length === 0) return
    await asSystem(this.#parts.pool, (db) =>
      sql`DELETE FROM device_changes WHERE seq = ANY (${queued.map(({ seq }) => seq)}::bigint[])`.execute(db),
    )
  }

  /** All followers get their turn, even if one of them fails. @throws what the first of them threw */
  async #hand(changes: readonly DeviceChange[]): Promise<void> {
    const ended = []
    for (const follower of this.#parts.changeFollowers) {
      const [outcome] = await Promise.allSettled([follower.follow(this.#parts, changes)])
      if (outcome?.status === 'rejected')
        this.#parts.log.error({ err: outcome.reason, follower: follower.name }, 'a follower of device changes failed')
      ended.push(outcome)
    }
    for (const outcome of ended) if (outcome?.status === 'rejected') throw outcome.reason
  }

  /** The database's clock, so that "since" means the same to every process. Slightly back, because a commit becomes visible after its `now()`. */
  async #changedStates(): Promise<{ readonly now: string; readonly rows: ChangeRow[] }> {
    return readAsSystem(this.#parts.pool, async (db) => {
      const { rows: times } = await sql<{ now: string }>`SELECT now() - interval '1 second' AS now`.execute(db)
      const now = times[0]?.now ?? this.#statesSince
      const declared = await Promise.all(this.#parts.changeFollowers.map((each) => each.stateOwners?.(db) ?? []))
      const owners: StateOwner[] = declared.flat()
      // Without filters over states there is nothing to follow.
      if (owners.length === 0) return { now, rows: [] }
      const orgIds = [...new Set(owners.flatMap(({ orgId }) => orgId ?? []))]
      const partnerIds = [...new Set(owners.flatMap(({ orgId, partnerId }) => (orgId === null ? [partnerId] : [])))]
      const { rows } = await sql<ChangeRow>`
        WITH watched AS (SELECT unnest(${orgIds}::uuid[]) AS org_id
          UNION SELECT id FROM organizations WHERE partner_id = ANY (${partnerIds}::uuid[]))
        SELECT device_id, org_id, partner_id, ARRAY['state'] AS fields FROM device_state
        WHERE (last_seen_at > ${this.#statesSince}::timestamptz OR status_at > ${this.#statesSince}::timestamptz)
          AND org_id IN (TABLE watched)`.execute(db)
      return { now, rows }
    })
  }
}

/** Groups, filters and policies follow the change of a device within five seconds. */
export const changeFeed: Job = {
  name: 'device-changes',
  when: { everyMs: lookMs },
  by: 'one worker',
  begin: (parts) => {
    const feed = new ChangeFeed(parts)
    return () => feed.turn(performance.now())
  },
}
