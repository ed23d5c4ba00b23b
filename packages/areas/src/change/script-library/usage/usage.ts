import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import { implement } from '../../../operation.ts'
import { scriptById, visibleExecutions } from '../../scripts/index.ts'
import { usage as contract } from './usage.contract.ts'

const dayMs = 86_400_000

interface Wanted {
  readonly id: string
  /** The first day, as `2026-01-31`. */
  readonly since: string
}

/** The runs of a script on devices within reach. */
const runsOf = (db: Db, caller: Caller, { id, since }: Wanted) =>
  visibleExecutions(db, caller)
    .where('run.scriptId', '=', id)
    .where('run.createdAt', '>=', `${since}T00:00:00Z`)
    .select(['run.deviceId', 'run.versionId', 'run.version', 'run.severity', 'run.createdAt'])
    .select(
      sql<number>`extract(epoch FROM command.finished_at - command.started_at)::double precision * 1000`.as(
        'durationMs',
      ),
    )

const counted = [
  sql<number>`count(*)::int`.as('runs'),
  sql<number>`count(*) FILTER (WHERE severity IN ('success', 'info'))::int`.as('succeeded'),
  sql<number>`count(*) FILTER (WHERE severity IN ('warning', 'error', 'critical'))::int`.as('failed'),
] as const

const percentile = (part: number) =>
  sql<number | null>`round(percentile_cont(${sql.lit(part)}) WITHIN GROUP (ORDER BY duration_ms))::int`

const day = sql<string>`to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`

function withPercent<Row extends { readonly succeeded: number; readonly failed: number }>(row: Row) {
  const ended = row.succeeded + row.failed
  return { ...row, successPercent: ended === 0 ? null : Math.round((row.succeeded * 1_000) / ended) / 10 }
}

export default implement(contract, {
  async get({ caller, db, input, services }) {
    const { id, days } = input
    await scriptById(db, caller, id)
    const firstMs = services.clock.now() - (days - 1) * dayMs
    const dates = Array.from({ length: days }, (_, index) =>
      new Date(firstMs + index * dayMs).toISOString().slice(0, 10),
    )
    const runs = db.with('runs', () => runsOf(db, caller, { id, since: dates[0] ?? '' }))
    const [totals, byDay, byVersion] = await Promise.all([
      runs
        .selectFrom('runs')
        .select(counted)
        .select([percentile(0.5).as('p50'), percentile(0.95).as('p95')])
        .select([
          sql<number>`count(DISTINCT device_id)::int`.as('devices'),
          sql<string | null>`max(created_at)`.as('lastRunAt'),
        ])
        .executeTakeFirstOrThrow(),
      runs.selectFrom('runs').select(day.as('date')).select(counted).groupBy(day).execute(),
      runs
        .selectFrom('runs')
        .select(['versionId', 'version'])
        .select(counted)
        .groupBy(['versionId', 'version'])
        .orderBy('version', 'desc')
        .execute(),
    ])
    const { p50, p95, ...all } = totals
    const known = new Map(byDay.map((row) => [row.date, row]))
    return {
      ...withPercent(all),
      durationMs: { p50, p95 },
      byDay: dates.map((date) => known.get(date) ?? { date, runs: 0, succeeded: 0, failed: 0 }),
      byVersion: byVersion.map(withPercent),
    }
  },
})
