// Which policies devices had by their last evaluation.
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'

/** A hash of the rules in effect, by policy. */
export type Effects = Readonly<Record<string, string>>

/** Of a device that has no policies, or was never evaluated. */
export const noEffects: Effects = {}

interface StoredState {
  readonly deviceId: string
  /** Null before the first evaluation. */
  readonly setId: string | null
}

const uuids = (ids: readonly string[]) => sql`${[...ids]}::uuid[]`

/**
 * Locks the states of devices, so that two evaluations of a device follow each other. What is read afterwards is as new as
 * what the last one read. @returns the set of each device; null before its first evaluation
 */
export async function lockStates(db: Db, deviceIds: readonly string[]): Promise<Map<string, string | null>> {
  const lock = () =>
    sql<StoredState>`SELECT s.device_id, s.set_id FROM device_policy_states s
      WHERE s.device_id = ANY (${uuids(deviceIds)}) ORDER BY s.device_id FOR NO KEY UPDATE`.execute(db)
  const { rows } = await lock()
  const known = new Map(rows.map(({ deviceId, setId }) => [deviceId, setId]))
  if (known.size === deviceIds.length) return known
  const missing = deviceIds.filter((id) => !known.has(id))
  await sql`INSERT INTO device_policy_states (device_id, org_id, partner_id)
    SELECT d.id, d.org_id, d.partner_id FROM devices d WHERE d.id = ANY (${uuids(missing)}) ORDER BY d.id
    ON CONFLICT DO NOTHING`.execute(db)
  return new Map((await lock()).rows.map(({ deviceId, setId }) => [deviceId, setId]))
}

/** A stored combination of policies. */
export interface KnownSet {
  readonly orgId: string
  readonly hash: string
}

/** Sets do not change. Those of this many are kept. */
const keptMax = 5_000
const keptEffectsMax = 200

/** What is known about stored sets, from one evaluation to the next. */
export class PolicySets {
  readonly #sets = new Map<string, KnownSet>()
  /** By hash, because the same policies have the same effects in all organizations. */
  readonly #effects = new Map<string, Effects>()

  async read(db: Db, setIds: readonly string[]): Promise<ReadonlyMap<string, KnownSet>> {
    if (this.#sets.size > keptMax) this.#sets.clear()
    const unknown = setIds.filter((id) => !this.#sets.has(id))
    if (unknown.length > 0)
      for (const { id, orgId, hash } of await db
        .selectFrom('devicePolicySets')
        .select(['id', 'orgId', 'hash'])
        .where(isOneOf('id', unknown))
        .execute())
        this.#sets.set(id, { orgId, hash })
    return this.#sets
  }

  /** The effects of combinations of policies. @param setIds a stored set with each hash */
  async effectsOf(db: Db, setIds: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, Effects>> {
    if (this.#effects.size > keptEffectsMax) this.#effects.clear()
    const unknown = [...setIds].flatMap(([hash, id]) => (this.#effects.has(hash) ? [] : [id]))
    if (unknown.length > 0) {
      const { rows } = await sql<{ hash: string; effects: Effects }>`SELECT e.hash, e.effects FROM device_policy_sets e
        WHERE e.id = ANY (${uuids(unknown)})`.execute(db)
      for (const { hash, effects } of rows) this.#effects.set(hash, effects)
    }
    return this.#effects
  }
}
