// The counts of each day, for the trend.
import type { Condition } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Counts } from './counts.contract.ts'

/** Counts the pairs of each organization, as they are now, for this day. */
export async function countToday(db: Db): Promise<void> {
  await sql`WITH placed AS (
      SELECT s.org_id, s.partner_id, sum(cardinality(e.applied)) AS applied, sum(cardinality(e.skipped)) AS skipped
      FROM device_policy_states s JOIN device_policy_sets e ON e.id = s.set_id GROUP BY 1, 2
    ), found AS (
      SELECT r.org_id, count(*) AS total, count(*) FILTER (WHERE r.status = 'non_compliant') AS non_compliant,
        count(*) FILTER (WHERE r.status = 'error') AS error, count(*) FILTER (WHERE r.status = 'pending') AS pending,
        count(*) FILTER (WHERE r.status = 'exempt') AS exempt
      FROM device_policy_results r GROUP BY 1
    )
    INSERT INTO device_policy_days AS d
      (org_id, partner_id, day, compliant, non_compliant, error, pending, exempt, not_applicable)
    SELECT p.org_id, p.partner_id, (now() AT TIME ZONE 'UTC')::date, greatest(0, p.applied - coalesce(f.total, 0)),
      coalesce(f.non_compliant, 0), coalesce(f.error, 0), coalesce(f.pending, 0), coalesce(f.exempt, 0), p.skipped
    FROM placed p LEFT JOIN found f ON f.org_id = p.org_id WHERE p.applied + p.skipped > 0
    ON CONFLICT (org_id, day) DO UPDATE SET compliant = excluded.compliant, non_compliant = excluded.non_compliant,
      error = excluded.error, pending = excluded.pending, exempt = excluded.exempt,
      not_applicable = excluded.not_applicable`.execute(db)
}

const trendDays = 30

/** The last days of organizations. @param organizations a condition on `days` */
export async function trendOf(db: Db, organizations: Condition): Promise<(Counts & { day: string })[]> {
  const { rows } = await sql<Omit<Counts, 'devices'> & { day: string }>`
    SELECT to_char(days.day, 'YYYY-MM-DD') AS day, sum(days.compliant)::float8 AS compliant,
      sum(days.non_compliant)::float8 AS non_compliant, sum(days.error)::float8 AS error,
      sum(days.pending)::float8 AS pending, sum(days.exempt)::float8 AS exempt,
      sum(days.not_applicable)::float8 AS not_applicable
    FROM device_policy_days days
    WHERE days.day > (now() AT TIME ZONE 'UTC')::date - ${trendDays}::int AND ${organizations}
    GROUP BY days.day ORDER BY days.day`.execute(db)
  return rows.map(({ day, ...counts }) => ({
    day,
    ...counts,
    devices: Object.values(counts).reduce((sum, count) => sum + count, 0),
  }))
}
