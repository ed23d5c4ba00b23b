// Counts pairs of policies and devices. Only those that do not comply have rows; the others follow from the sets of devices.
import type { Condition } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { type RawBuilder, sql } from 'kysely'
import type { ComplianceStatus, Counts } from './counts.contract.ts'

interface Row {
  readonly key: string
  readonly status: ComplianceStatus | 'applied' | 'devices'
  readonly count: number
}

const uuids = (ids: readonly string[]) => sql`${[...ids]}::uuid[]`

/** The devices among which to count, by their set and organization. @param visible a condition on `devices` */
const placed = (visible: Condition): RawBuilder<unknown> => sql`placed AS MATERIALIZED (
  SELECT s.set_id, s.org_id, count(*) AS devices FROM device_policy_states s JOIN devices ON devices.id = s.device_id
  WHERE ${visible} GROUP BY s.set_id, s.org_id)`

/** The counts of policies. */
export async function countsByPolicy(
  db: Db,
  policyIds: readonly string[],
  visible: Condition,
): Promise<Map<string, Counts>> {
  if (policyIds.length === 0) return new Map()
  const { rows } = await sql<Row>`WITH ${placed(visible)}
    SELECT a.policy_id AS key, a.status, sum(p.devices)::float8 AS count
    FROM placed p JOIN device_policy_sets e ON e.id = p.set_id
    CROSS JOIN LATERAL (SELECT unnest(e.applied) AS policy_id, 'applied' AS status
      UNION ALL SELECT unnest(e.skipped), 'not_applicable') a
    WHERE a.policy_id = ANY (${uuids(policyIds)}) GROUP BY 1, 2
    UNION ALL
    SELECT r.policy_id, r.status, count(*)::float8 FROM device_policy_results r JOIN devices ON devices.id = r.device_id
    WHERE r.policy_id = ANY (${uuids(policyIds)}) AND ${visible} GROUP BY 1, 2`.execute(db)
  const found = Map.groupBy(rows, ({ key }) => key)
  return new Map(policyIds.map((id) => [id, countsFrom(found.get(id) ?? [])]))
}

/** The counts of organizations that have devices with policies. */
export async function countsByOrganization(db: Db, visible: Condition): Promise<Map<string, Counts>> {
  const { rows } = await sql<Row>`WITH ${placed(visible)}
    SELECT p.org_id AS key, a.status, sum(a.count)::float8 AS count
    FROM placed p JOIN device_policy_sets e ON e.id = p.set_id
    CROSS JOIN LATERAL (VALUES ('applied', p.devices * cardinality(e.applied)),
      ('not_applicable', p.devices * cardinality(e.skipped)), ('devices', p.devices)) AS a(status, count)
    WHERE cardinality(e.applied) + cardinality(e.skipped) > 0 GROUP BY 1, 2
    UNION ALL
    SELECT r.org_id, r.status, count(*)::float8 FROM device_policy_results r JOIN devices ON devices.id = r.device_id
    WHERE ${visible} GROUP BY 1, 2`.execute(db)
  const found = Map.groupBy(rows, ({ key }) => key)
  return new Map([...found].map(([id, its]) => [id, countsFrom(its)]))
}

function countsFrom(rows: readonly Row[]): Counts {
  const of = (status: Row['status']) => rows.find((row) => row.status === status)?.count ?? 0
  const [nonCompliant, error, pending, exempt] = [of('non_compliant'), of('error'), of('pending'), of('exempt')]
  const [applied, notApplicable] = [of('applied'), of('not_applicable')]
  return {
    devices: rows.some(({ status }) => status === 'devices') ? of('devices') : applied + notApplicable,
    compliant: Math.max(0, applied - nonCompliant - error - pending - exempt),
    ...{ nonCompliant, error, pending, exempt, notApplicable },
  }
}

export const noCounts: Counts = countsFrom([])

export const sumOf = (all: readonly Counts[]): Counts => {
  const of = (name: keyof Counts) => all.reduce((sum, counts) => sum + counts[name], 0)
  return {
    ...{ devices: of('devices'), compliant: of('compliant'), nonCompliant: of('nonCompliant'), error: of('error') },
    ...{ pending: of('pending'), exempt: of('exempt'), notApplicable: of('notApplicable') },
  }
}

/** Null without pairs that should comply. */
export function percentOf({ compliant, nonCompliant, error }: Counts): number | null {
  const all = compliant + nonCompliant + error
  return all === 0 ? null : Math.round((compliant / all) * 1_000) / 10
}
