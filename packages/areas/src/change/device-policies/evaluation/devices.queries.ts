// What an evaluation reads about its devices.
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { JsonValue } from '@muster/db/json.ts'
import { sql } from 'kysely'
import type { PlacedDevice } from '../resolve/assigned.rules.ts'
import type { InstalledSoftware, MountedDisk } from '../rules/judge.rules.ts'
import type { Excepted, StoredResult } from './pairs.rules.ts'

const uuids = (ids: readonly string[]) => sql`${[...ids]}::uuid[]`

/** The policies that a device has by its last evaluation, each with a hash of its rules in effect. */
interface StoredState {
  /** Null before the first evaluation. */
  readonly setId: string | null
  readonly effects: Readonly<Record<string, string>>
}

/**
 * Locks the states of devices, so that two evaluations of a device follow each other. What is read afterwards is as new as
 * what the last one read.
 */
export async function lockStates(db: Db, deviceIds: readonly string[]): Promise<Map<string, StoredState>> {
  await sql`INSERT INTO device_policy_states (device_id, org_id, partner_id)
    SELECT d.id, d.org_id, d.partner_id FROM devices d WHERE d.id = ANY (${uuids(deviceIds)}) ORDER BY d.id
    ON CONFLICT DO NOTHING`.execute(db)
  await sql`SELECT FROM device_policy_states s WHERE s.device_id = ANY (${uuids(deviceIds)}) ORDER BY s.device_id
    FOR NO KEY UPDATE`.execute(db)
  const { rows } = await sql<{ deviceId: string; setId: string | null }>`SELECT s.device_id, s.set_id
    FROM device_policy_states s WHERE s.device_id = ANY (${uuids(deviceIds)})`.execute(db)
  // Many devices share a set, whose effects name each of their policies.
  const sets = await db
    .selectFrom('devicePolicySets')
    .select(['id', sql<StoredState['effects']>`effects`.as('effects')])
    .where(isOneOf('id', [...new Set(rows.flatMap(({ setId }) => setId ?? []))]))
    .execute()
  const effectsOf = new Map(sets.map(({ id, effects }) => [id, effects]))
  return new Map(rows.map(({ deviceId, setId }) => [deviceId, { setId, effects: effectsOf.get(setId ?? '') ?? {} }]))
}

export interface EvaluatedDevice extends PlacedDevice {
  readonly hostname: string
  readonly osVersion: string | null
}

export async function placedDevices(db: Db, deviceIds: readonly string[]): Promise<EvaluatedDevice[]> {
  const { rows } = await sql<EvaluatedDevice>`
    SELECT d.id, d.partner_id, d.org_id, d.site_id, d.hostname, d.os_type, d.os_version, d.lifecycle,
      ARRAY(SELECT m.group_id FROM device_group_members m WHERE m.device_id = d.id) AS group_ids,
      ARRAY(SELECT m.set_id FROM target_filter_members m WHERE m.device_id = d.id) AS filter_set_ids
    FROM devices d WHERE d.id = ANY (${uuids(deviceIds)})`.execute(db)
  return rows
}

interface ResultRow extends StoredResult {
  readonly policyId: string
  readonly deviceId: string
}

/** The results of devices, by device and policy. */
export async function storedResults(
  db: Db,
  deviceIds: readonly string[],
): Promise<Map<string, Map<string, StoredResult>>> {
  const { rows } = await sql<ResultRow>`SELECT r.policy_id, r.device_id, r.status, r.findings, r.alerted
    FROM device_policy_results r WHERE r.device_id = ANY (${uuids(deviceIds)})`.execute(db)
  const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId)
  return new Map([...byDevice].map(([id, its]) => [id, new Map(its.map((row) => [row.policyId, row]))]))
}

interface ExceptionRow {
  readonly policyId: string
  readonly deviceId: string
  readonly ruleKey: string | null
}

/** The rules that exceptions cover, by device and policy. */
export async function exceptionsOf(db: Db, deviceIds: readonly string[]): Promise<Map<string, Map<string, Excepted>>> {
  const { rows } = await sql<ExceptionRow>`
    SELECT e.policy_id, e.device_id, e.rule_key FROM device_policy_exceptions e
    WHERE e.device_id = ANY (${uuids(deviceIds)}) AND (e.expires_at IS NULL OR e.expires_at > now())
    UNION
    SELECT e.policy_id, m.device_id, e.rule_key FROM device_policy_exceptions e
    JOIN device_group_members m ON m.group_id = e.group_id
    WHERE m.device_id = ANY (${uuids(deviceIds)}) AND (e.expires_at IS NULL OR e.expires_at > now())`.execute(db)
  const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId)
  return new Map(
    [...byDevice].map(([id, its]) => {
      const byPolicy = Map.groupBy(its, ({ policyId }) => policyId)
      return [id, new Map([...byPolicy].map(([policyId, same]) => [policyId, exceptedBy(same)]))]
    }),
  )
}

function exceptedBy(exceptions: readonly ExceptionRow[]): Excepted {
  const keys = exceptions.map(({ ruleKey }) => ruleKey)
  return keys.includes(null) ? 'all' : new Set(keys.filter((key) => key !== null))
}

const recordOf = (value: JsonValue): Readonly<Record<string, JsonValue>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
const textOf = (value: JsonValue | undefined) => (typeof value === 'string' ? value : undefined)
const numberOf = (value: JsonValue | undefined) => (typeof value === 'number' ? value : undefined)

interface InventoryRow {
  readonly deviceId: string
  readonly items: JsonValue[]
}

async function inventoryOf(db: Db, section: 'software' | 'disks', deviceIds: readonly string[]) {
  if (deviceIds.length === 0) return []
  const { rows } =
    await sql<InventoryRow>`SELECT i.device_id, ${sql.ref(`i.${section}`)} AS items FROM device_inventory i
    WHERE i.device_id = ANY (${uuids(deviceIds)})`.execute(db)
  return rows
}

/** Devices without an inventory are left out. */
export async function softwareOf(db: Db, deviceIds: readonly string[]): Promise<Map<string, InstalledSoftware[]>> {
  const rows = await inventoryOf(db, 'software', deviceIds)
  return new Map(
    rows.map(({ deviceId, items }) => [
      deviceId,
      items.map(recordOf).map(({ name, version, source }) => ({
        name: textOf(name) ?? '',
        version: textOf(version),
        source: textOf(source),
      })),
    ]),
  )
}

/** Devices without an inventory are left out. */
export async function disksOf(db: Db, deviceIds: readonly string[]): Promise<Map<string, MountedDisk[]>> {
  const rows = await inventoryOf(db, 'disks', deviceIds)
  return new Map(
    rows.map(({ deviceId, items }) => [
      deviceId,
      items.map(recordOf).map(({ mount, totalBytes, usedBytes }) => ({
        mount: textOf(mount),
        totalBytes: numberOf(totalBytes),
        usedBytes: numberOf(usedBytes),
      })),
    ]),
  )
}
