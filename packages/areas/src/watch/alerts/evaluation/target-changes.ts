// What may change which rules apply to which devices.
import type pg from 'pg'
import type { ConditionKind } from '../rules/conditions.contract.ts'

/** With more changed devices than this, all devices are looked at. */
export const changedDevicesMax = 20_000

// Sums of hashes, because a list of all rules or members would be long. XOR first: a swap of two members changes the sum.
const readRuleMarks = {
  name: 'read-rule-marks',
  text: `SELECT partner_id AS "partnerId", count(*) || ' ' || sum(hashtext(id::text || version || updated_at)::bigint) AS mark
    FROM alert_rules WHERE kind = ANY ($1::text[]) AND enabled GROUP BY partner_id`,
}
/** Changes when a device joins or leaves a group or a filter that a rule targets. */
const readMemberMarks = {
  name: 'read-member-marks',
  text: `WITH sets AS MATERIALIZED (
      SELECT t.id, t.partner_id, t.group_ids || t.exclude_group_ids AS group_ids, t.filter IS NOT NULL AS is_filtered
      FROM alert_rules r JOIN target_sets t ON t.id = r.target_set_id WHERE r.kind = ANY ($1::text[]) AND r.enabled)
    SELECT partner_id AS "partnerId", count(*) || ' ' || sum((uuid_hash(device_id) # uuid_hash(of))::bigint) AS mark
    FROM (
      SELECT g.partner_id, m.device_id, m.group_id AS of
      FROM (SELECT DISTINCT partner_id, unnest(group_ids) AS id FROM sets) g JOIN device_group_members m ON m.group_id = g.id
      UNION ALL SELECT s.partner_id, m.device_id, m.set_id FROM sets s JOIN target_filter_members m ON m.set_id = s.id WHERE s.is_filtered) members
    GROUP BY partner_id`,
}
const readChangedDevices = {
  name: 'read-changed-devices',
  text: `SELECT id FROM devices WHERE updated_at > $1::timestamptz LIMIT ${changedDevicesMax + 1}`,
}
/** A commit becomes visible after its `now()`. */
const readNow = `SELECT (now() - interval '1 second')::text AS now`

export interface TargetChange {
  /** Partners with other rules or other members of what these target. */
  readonly partnerIds: readonly string[]
  readonly deviceIds: readonly string[]
}

/** Follows the changes that concern rules of some kinds. */
export class TargetChanges {
  readonly #pool: pg.Pool
  readonly #kinds: readonly ConditionKind[]
  #marks: ReadonlyMap<string, string> = new Map()
  #since: string | null = null

  constructor(pool: pg.Pool, kinds: readonly ConditionKind[]) {
    this.#pool = pool
    this.#kinds = kinds
  }

  /** Makes the next look the first one, because what the last one found could not be followed. */
  forget(): void {
    this.#marks = new Map()
    this.#since = null
  }

  /** @returns what changed since the last look; at the first one, all partners with rules */
  async look(): Promise<TargetChange> {
    const { rows: times } = await this.#pool.query<{ now: string }>(readNow)
    const marks = await this.#readMarks()
    const since = this.#since
    const devices =
      marks.size === 0 || since === null
        ? []
        : (await this.#pool.query<{ id: string }>({ ...readChangedDevices, values: [since] })).rows
    const before = this.#marks
    this.#marks = marks
    this.#since = times[0]?.now ?? null
    return {
      partnerIds: [...new Set([...marks.keys(), ...before.keys()])].filter((id) => marks.get(id) !== before.get(id)),
      deviceIds: devices.map(({ id }) => id),
    }
  }

  async #readMarks(): Promise<Map<string, string>> {
    const read = async (query: { name: string; text: string }) =>
      (await this.#pool.query<{ partnerId: string; mark: string }>({ ...query, values: [this.#kinds] })).rows
    const marks = new Map((await read(readRuleMarks)).map(({ partnerId, mark }) => [partnerId, mark]))
    if (marks.size > 0)
      for (const { partnerId, mark } of await read(readMemberMarks))
        marks.set(partnerId, `${marks.get(partnerId) ?? ''} ${mark}`)
    return marks
  }
}
