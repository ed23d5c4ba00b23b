// The facts that devices watch for the service, and what they answered.
import type { Db } from '@muster/db/database.ts'
import { type Fact, FactValue } from '@muster/wire/facts/facts.ts'
import { factsMax } from '@muster/wire/limits.ts'
import { sql } from 'kysely'
import { assignItems } from '../assignments/index.ts'
import { factKey } from './fact-key.ts'

export interface DeviceFacts {
  readonly deviceId: string
  /** The first 200 different ones count. */
  readonly facts: readonly Fact[]
}

export interface KnownFact {
  readonly deviceId: string
  readonly key: string
  /** Null when the device could not look, for the reason in `error`. */
  readonly value: FactValue | null
  readonly error: string | null
  /** When the device first saw it so. */
  readonly observedAt: string
}

/**
 * Replaces the facts of these devices. Workers send what changed within two seconds, and when a device connects; what the
 * devices answer about other facts is forgotten. Workers that store answers wait for the transaction: keep it short.
 * @returns the devices whose facts changed
 */
export async function assignFacts(db: Db, devices: readonly DeviceFacts[]): Promise<string[]> {
  // Thousands of devices share a list, and most of them have it already.
  const lists = [...Map.groupBy(devices, ({ facts }) => facts)].map(([facts, its]) => ({
    items: itemsOf(facts),
    deviceIds: its.map(({ deviceId }) => deviceId),
  }))
  const others = await Promise.all(lists.map((list) => devicesWithOthers(db, list)))
  const wanted = lists.flatMap(({ items }, index) => (others[index] ?? []).map((deviceId) => ({ deviceId, items })))
  const changed = await assignItems(db, 'facts', wanted)
  if (changed.length === 0) return []
  const assigned = sql`device_assignments a WHERE a.kind = 'facts' AND a.device_id`
  await sql`DELETE FROM device_facts f WHERE f.device_id = ANY (${changed}::uuid[])
    AND NOT EXISTS (SELECT FROM ${assigned} = f.device_id
      AND a.items @> jsonb_build_array(jsonb_build_object('id', f.fact_key)))`.execute(db)
  await sql`INSERT INTO device_facts (device_id, fact_key, org_id, partner_id)
    SELECT a.device_id, i.item->>'id', a.org_id, a.partner_id
    FROM (SELECT a.* FROM ${assigned} = ANY (${changed}::uuid[])) a, jsonb_array_elements(a.items) AS i (item)
    ORDER BY 1, 2 ON CONFLICT (device_id, fact_key) DO NOTHING`.execute(db)
  return changed
}

/** Of these devices, those that do not have exactly these items. */
async function devicesWithOthers(
  db: Db,
  { items, deviceIds }: { readonly items: readonly unknown[]; readonly deviceIds: readonly string[] },
): Promise<string[]> {
  const text = JSON.stringify(items)
  const { rows } = await sql<{ id: string }>`SELECT u.id FROM unnest(${[...deviceIds]}::uuid[]) AS u(id)
    LEFT JOIN device_assignments a ON a.device_id = u.id AND a.kind = 'facts'
    WHERE coalesce(a.items, '[]') <> ${text}::jsonb`.execute(db)
  return rows.map(({ id }) => id)
}

/** In one order, so that the same facts in another order are no change. */
function itemsOf(facts: readonly Fact[]) {
  const byKey = new Map(facts.map((fact) => [factKey(fact), fact]))
  return [...byKey]
    .slice(0, factsMax)
    .map(([id, fact]) => ({ id, fact }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** What these devices answered, about all of their facts or about those with these keys. */
export async function factsOf(db: Db, deviceIds: readonly string[], keys?: readonly string[]): Promise<KnownFact[]> {
  const rows = await db
    .selectFrom('deviceFacts')
    .select(['deviceId', 'factKey', 'value', 'error', 'observedAt'])
    .where('deviceId', 'in', deviceIds)
    .$if(keys !== undefined, (query) => query.where('factKey', 'in', keys ?? []))
    .where('observedAt', 'is not', null)
    .execute()
  return rows.map(({ factKey: key, value, observedAt, ...row }) => ({
    ...row,
    key,
    value: value === null ? null : FactValue.parse(value),
    observedAt: observedAt ?? '',
  }))
}
