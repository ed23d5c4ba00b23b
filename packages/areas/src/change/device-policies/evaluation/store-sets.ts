// Stores which policies devices have. Devices with the same ones share a row.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { PlacedDevice } from '../resolve/assigned.rules.ts'
import type { Plan } from './plan.ts'

interface Placed {
  readonly device: PlacedDevice
  readonly plan: Plan
  /** Whether the device has the set of this plan already. */
  readonly hasSame: boolean
}

interface SetRow {
  readonly id: string
  readonly orgId: string
  readonly hash: string
}

const keyOf = (orgId: string, hash: string): string => `${orgId} ${hash}`

/** The ids of sets by organization and hash. Unused sets are deleted, so those that exist are locked. */
async function idsOfSets(db: Db, placed: readonly Placed[]): Promise<Map<string, string>> {
  const wanted = new Map(placed.map((each) => [keyOf(each.device.orgId, each.plan.hash), each]))
  const sorted = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
  const read = () =>
    sql<SetRow>`SELECT s.id, s.org_id, s.hash
    FROM unnest(${sorted.map(({ device }) => device.orgId)}::uuid[], ${sorted.map(({ plan }) => plan.hash)}::text[]) AS u(org_id, hash)
    JOIN device_policy_sets s ON s.org_id = u.org_id AND s.hash = u.hash FOR KEY SHARE OF s`.execute(db)
  const found = new Map((await read()).rows.map(({ id, orgId, hash }) => [keyOf(orgId, hash), id]))
  const missing = sorted.filter(({ device, plan }) => !found.has(keyOf(device.orgId, plan.hash)))
  if (missing.length === 0) return found
  for (const { device, plan } of missing)
    await sql`INSERT INTO device_policy_sets (org_id, partner_id, hash, applied, skipped, effects)
      VALUES (${device.orgId}, ${device.partnerId}, ${plan.hash}, ${[...plan.applied.keys()]}::uuid[],
        ${[...plan.skipped]}::uuid[],
        ${JSON.stringify(Object.fromEntries([...plan.applied].map(([id, { effect }]) => [id, effect])))}::jsonb)
      ON CONFLICT (org_id, hash) DO NOTHING`.execute(db)
  return new Map((await read()).rows.map(({ id, orgId, hash }) => [keyOf(orgId, hash), id]))
}

const uuids = (ids: readonly string[]) => sql`${[...ids]}::uuid[]`

/** Notes the sets of devices, and that these were evaluated now. */
export async function storeSets(db: Db, placed: readonly Placed[]): Promise<void> {
  const same = placed.flatMap(({ device, hasSame }) => (hasSame ? [device.id] : []))
  if (same.length > 0)
    await sql`UPDATE device_policy_states s SET evaluated_at = now() WHERE s.device_id = ANY (${uuids(same)})`.execute(
      db,
    )
  const others = placed.filter(({ hasSame }) => !hasSame)
  if (others.length === 0) return
  const ids = await idsOfSets(db, others)
  const setIds = others.map(({ device, plan }) => ids.get(keyOf(device.orgId, plan.hash)) ?? null)
  await sql`UPDATE device_policy_states s SET set_id = u.set_id, evaluated_at = now(), placed_at = now()
    FROM unnest(${others.map(({ device }) => device.id)}::uuid[], ${setIds}::uuid[]) AS u(device_id, set_id)
    WHERE s.device_id = u.device_id`.execute(db)
}
