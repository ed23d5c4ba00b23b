import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import { visibleAlerts } from './alerts.queries.ts'
import { OpenStatus } from './words.contract.ts'

/** Figures of the alerts that the caller sees. Times count alerts of the last 30 days. */
export async function summaryOf(
  db: Db,
  caller: Caller,
  place: { orgId?: string | undefined; siteId?: string | undefined },
) {
  const seen = db
    .selectFrom('alerts')
    .where(visibleAlerts(caller))
    .$if(place.orgId !== undefined, (query) => query.where('alerts.orgId', '=', place.orgId ?? ''))
    .$if(place.siteId !== undefined, (query) => query.where('alerts.siteId', '=', place.siteId ?? ''))
  const [open, recent] = await Promise.all([
    seen
      .where(isOneOf('alerts.status', OpenStatus.options))
      .innerJoin('organizations', 'organizations.id', 'alerts.orgId')
      .select(['alerts.orgId', 'organizations.name as orgName', 'alerts.status', 'alerts.severity'])
      .select(sql<number>`count(*)::int`.as('total'))
      .groupBy(['alerts.orgId', 'organizations.name', 'alerts.status', 'alerts.severity'])
      .execute(),
    seen
      .where(
        sql<boolean>`(alerts.opened_at > now() - interval '30 days' OR alerts.resolved_at > now() - interval '1 day')`,
      )
      .select([
        sql<number>`count(*) FILTER (WHERE alerts.opened_at > now() - interval '1 day')::int`.as('opened24h'),
        sql<number>`count(*) FILTER (WHERE alerts.resolved_at > now() - interval '1 day')::int`.as('resolved24h'),
        sql<number | null>`round(avg(extract(epoch FROM alerts.acknowledged_at - alerts.opened_at)))::float8`.as(
          'mttaSeconds',
        ),
        sql<number | null>`round(avg(extract(epoch FROM alerts.resolved_at - alerts.opened_at)))::float8`.as(
          'mttrSeconds',
        ),
      ])
      .executeTakeFirstOrThrow(),
  ])
  const byStatus = { active: 0, acknowledged: 0, suppressed: 0 }
  const bySeverity = { critical: 0, high: 0, medium: 0, low: 0, info: 0 }
  const byOrganization = new Map<string, { orgId: string; orgName: string; total: number }>()
  let total = 0
  for (const row of open) {
    total += row.total
    byStatus[OpenStatus.parse(row.status)] += row.total
    bySeverity[row.severity] += row.total
    const organization = byOrganization.get(row.orgId) ?? { orgId: row.orgId, orgName: row.orgName, total: 0 }
    organization.total += row.total
    byOrganization.set(row.orgId, organization)
  }
  const most = [...byOrganization.values()].sort((a, b) => b.total - a.total || a.orgName.localeCompare(b.orgName))
  return { total, byStatus, bySeverity, byOrganization: most, ...recent }
}
