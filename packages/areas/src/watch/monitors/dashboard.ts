import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import { uptimesTogether, visibleMonitors } from './monitor.queries.ts'
import type { MonitorStatus } from './words.contract.ts'

const slowestMax = 10
const incidentsMax = 20

/** Figures of the monitors that the caller sees. */
export async function dashboardOf(
  db: Db,
  caller: Caller,
  place: { orgId?: string | undefined; siteId?: string | undefined },
) {
  const visible = db
    .selectFrom('monitors')
    .where(visibleMonitors(caller))
    .$if(place.orgId !== undefined, (query) => query.where('monitors.orgId', '=', place.orgId ?? ''))
    .$if(place.siteId !== undefined, (query) => query.where('monitors.siteId', '=', place.siteId ?? ''))
  const ids = visible.select('monitors.id')
  const [counts, uptimes, slowest, incidents] = await Promise.all([
    visible
      .select(['monitors.status', sql<number>`count(*)::int`.as('count')])
      .groupBy('monitors.status')
      .execute(),
    uptimesTogether(db, sql`IN (${ids})`),
    visible
      .where('monitors.status', 'in', ['online', 'degraded'])
      .where('monitors.lastResponseMs', 'is not', null)
      .select(['monitors.id as monitorId', 'monitors.orgId', 'monitors.name', 'monitors.target'])
      .select(sql<number>`monitors.last_response_ms`.as('responseMs'))
      .orderBy('monitors.lastResponseMs', 'desc')
      .orderBy('monitors.id')
      .limit(slowestMax)
      .execute(),
    visible
      .innerJoin('monitorSpans as span', 'span.monitorId', 'monitors.id')
      .where('span.status', '=', 'offline')
      .where(sql<boolean>`(span.ended_at IS NULL OR span.ended_at > now() - interval '30 days')`)
      .select(['monitors.id as monitorId', 'monitors.orgId', 'monitors.name', 'monitors.target', 'span.reason'])
      .select(['span.beganAt as startedAt', 'span.endedAt'])
      .select(
        sql<number>`round(extract(epoch FROM coalesce(span.ended_at, now()) - span.began_at))::float8`.as('seconds'),
      )
      .orderBy('span.beganAt', 'desc')
      .orderBy('span.id')
      .limit(incidentsMax)
      .execute(),
  ])
  const byStatus: Record<MonitorStatus, number> = { unknown: 0, online: 0, degraded: 0, offline: 0, paused: 0 }
  for (const { status, count } of counts) byStatus[status] = count
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return { total, byStatus, ...uptimes, slowest, incidents }
}
