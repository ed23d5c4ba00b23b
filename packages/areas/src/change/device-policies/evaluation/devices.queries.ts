// What an evaluation reads about its devices.
import type { Db } from '@muster/db/database.ts'
import type { JsonValue } from '@muster/db/json.ts'
import { type RawBuilder, sql } from 'kysely'
import type { PlacedDevice } from '../resolve/assigned.rules.ts'
import type { InstalledSoftware, MountedDisk } from '../rules/judge.rules.ts'
import type { Excepted, StoredResult } from './pairs.rules.ts'

const uuids = (ids: readonly string[]) => sql`${[...ids]}::uuid[]`

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

/** The results of devices, by device and policy. @param policyIds those to read; null: all */
export async function storedResults(
  db: Db,
  deviceIds: readonly string[],
  policyIds: readonly string[] | null,
): Promise<(readonly [string, Map<string, StoredResult>])[]> {
  if (deviceIds.length === 0 || policyIds?.length === 0) return []
  const ofThese = policyIds === null ? sql`` : sql`AND r.policy_id = ANY (${uuids(policyIds)})`
  const { rows } = await sql<ResultRow>`SELECT r.policy_id, r.device_id, r.status, r.findings, r.alerted
    FROM device_policy_results r WHERE r.device_id = ANY (${uuids(deviceIds)}) ${ofThese}`.execute(db)
  const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId)
  return [...byDevice].map(([id, its]) => [id, new Map(its.map((row) => [row.policyId, row]))])
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

async function inventoryOf(db: Db, items: RawBuilder<unknown>, deviceIds: readonly string[]) {
  if (deviceIds.length === 0) return []
  const { rows } = await sql<InventoryRow>`SELECT i.device_id, ${items} AS items FROM device_inventory i
    WHERE i.device_id = ANY (${uuids(deviceIds)})`.execute(db)
  return rows
}

/** With more names than these, the database would not save much. */
const fewNames = 20

/**
 * Devices without an inventory are left out.
 * @param names in lower case: what else is installed may be left out; null: nothing may
 */
export async function softwareOf(
  db: Db,
  deviceIds: readonly string[],
  names: ReadonlySet<string> | null,
): Promise<Map<string, InstalledSoftware[]>> {
  // Devices have thousands of packages, and the database has another idea of lower case beyond ASCII.
  const isNarrow = names !== null && names.size <= fewNames && [...names].every((name) => /^[\x20-\x7e]*$/.test(name))
  const items = isNarrow
    ? sql`(SELECT coalesce(jsonb_agg(e.item), '[]') FROM jsonb_array_elements(i.software) AS e(item)
        WHERE lower(e.item->>'name') = ANY (${[...names]}::text[]))`
    : sql`i.software`
  const rows = await inventoryOf(db, items, deviceIds)
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
  const rows = await inventoryOf(db, sql`i.disks`, deviceIds)
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
