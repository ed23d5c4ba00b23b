import { pagedSql } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import { matching, newest } from './logs.queries.ts'
import { reports as contract } from './reports.contract.ts'

const defaultMs = 30 * 24 * 3_600_000
const listed = 50
/** Actions that change access: sign-ins, roles, providers, keys, reviews. */
const securityAction = sql`a.action ~ '^(user|auth|role|sso|scim|api_key|access_review|enrollment_key)\\.|^audit\\.export$'`

interface Period {
  readonly partnerId?: string | undefined
  readonly orgId?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

function periodOf({ caller, input, services }: Call<Period>) {
  const now = services.clock.now()
  const to = input.to ?? new Date(now).toISOString()
  const from = input.from ?? new Date(Date.parse(to) - defaultMs).toISOString()
  return { from, to, condition: matching(caller, { partnerId: input.partnerId, orgId: input.orgId, from, to }) }
}

/** The count of each value, most frequent first. */
async function counts(
  { db }: Pick<Call, 'db'>,
  value: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  limit = listed,
) {
  const { rows } = await sql<{ name: string; count: number }>`
    SELECT ${value} AS name, count(*) AS count FROM audit_logs a WHERE ${condition}
    GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${limit}`.execute(db)
  return rows
}

export default implement(contract, {
  async userActivity(call) {
    const { page, limit } = call.input
    const { from, to, condition } = periodOf(call)
    const rows = sql<Activity>`
      SELECT actor_type, actor_id, max(actor_email) AS actor_email, count(*) AS events,
        count(*) FILTER (WHERE action <> 'user.login' AND action <> 'user.logout') AS changes,
        count(*) FILTER (WHERE action = 'user.login' AND result = 'success') AS sign_ins,
        count(*) FILTER (WHERE result <> 'success') AS failures,
        min(at) AS first_at, max(at) AS last_at
      FROM audit_logs a WHERE ${condition} AND actor_id IS NOT NULL GROUP BY actor_type, actor_id`
    const orderBy = sql`events DESC, actor_id`
    return { from, to, ...(await pagedSql(call.db, { rows, orderBy }, { page, limit })) }
  },

  async securityEvents(call) {
    const { page, limit } = call.input
    const { from, to, condition } = periodOf(call)
    const security = sql`${condition} AND ${securityAction}`
    const found = newest(call.db, security, null, limit, (page - 1) * limit)
    const byAction = await counts(call, sql`a.action`, security, 500)
    const total = byAction.reduce((sum, { count }) => sum + count, 0)
    return { from, to, counts: byAction, data: await found, pagination: { page, limit, total } }
  },

  async compliance(call) {
    const { from, to, condition } = periodOf(call)
    const { rows } = await sql<Evidence>`
      SELECT count(*) AS records, count(chain_sequence) AS chained,
        count(*) FILTER (WHERE action = 'user.invite') AS invited, count(*) FILTER (WHERE action = 'user.remove') AS removed,
        count(*) FILTER (WHERE action = 'user.role.assign') AS roles_assigned,
        count(*) FILTER (WHERE action LIKE 'role.%') AS roles_changed,
        count(*) FILTER (WHERE action IN ('auth.mfa.disable', 'auth.mfa.reset')) AS second_factors_disabled,
        count(*) FILTER (WHERE action LIKE 'user.login%' AND result <> 'success') AS failed_sign_ins,
        count(*) FILTER (WHERE action = 'access_review.complete') AS reviews_completed,
        count(*) FILTER (WHERE action = 'audit.export') AS exports
      FROM audit_logs a WHERE ${condition}`.execute(call.db)
    const { records = 0, chained = 0, ...access } = rows[0] ?? noEvidence
    const byResource = await counts(call, sql`a.resource_type`, condition)
    return { from, to, records, chained, access, byResource, ...(await retentionOf(call, call.caller)) }
  },

  async stats(call) {
    const { from, to, condition } = periodOf(call)
    const byAction = await counts(call, sql`a.action`, condition, 500)
    const byResult = await counts(call, sql`a.result`, condition)
    const byActor = await counts(call, sql`coalesce(a.actor_email, a.actor_type)`, condition)
    const byDay = await counts(call, sql`to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`, condition, 400)
    const total = byResult.reduce((sum, { count }) => sum + count, 0)
    return { from, to, total, byAction, byResult, byActor, byDay: byDay.sort((a, b) => (a.name < b.name ? -1 : 1)) }
  },
})

interface Activity {
  readonly actorType: string
  readonly actorId: string | null
  readonly actorEmail: string | null
  readonly events: number
  readonly changes: number
  readonly signIns: number
  readonly failures: number
  readonly firstAt: string
  readonly lastAt: string
}

const noEvidence = {
  records: 0,
  chained: 0,
  invited: 0,
  removed: 0,
  rolesAssigned: 0,
  rolesChanged: 0,
  secondFactorsDisabled: 0,
  failedSignIns: 0,
  reviewsCompleted: 0,
  exports: 0,
}
type Evidence = typeof noEvidence

async function retentionOf({ db, input }: Call<Period>, caller: Caller) {
  const all = matching(caller, { partnerId: input.partnerId, orgId: input.orgId })
  const { rows: oldest } = await sql<{ at: string | null }>`
    SELECT (SELECT a.at FROM audit_logs a WHERE ${all} ORDER BY a.at LIMIT 1) AS at`.execute(db)
  const { rows: signed } = await sql<{ at: string | null }>`SELECT max(at) AS at FROM audit_heads`.execute(db)
  return { oldestAt: oldest[0]?.at ?? null, lastSignedAt: signed[0]?.at ?? null }
}
