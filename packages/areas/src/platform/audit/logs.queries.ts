import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied } from '@muster/kit/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import type { AuditFilters, AuditLog } from './logs.contract.ts'

type Condition = RawBuilder<unknown>

/**
 * The records that a caller may read. Members limited to sites or groups read only records of their own actions, because
 * others name devices out of their reach.
 */
function readable(caller: Caller): Condition {
  if (caller.scope === 'system') return sql`true`
  const limited = caller.siteIds !== null || caller.deviceGroupIds !== null
  const own = limited ? sql` AND a.actor_id = ${caller.userId}` : sql``
  if (caller.scope === 'organization') return sql`a.org_id = ${caller.orgId}${own}`
  if (caller.orgAccess === 'all') return sql`a.partner_id = ${caller.partnerId}`
  return sql`a.partner_id = ${caller.partnerId} AND a.org_id = ANY (${[...(caller.accessibleOrgIds ?? [])]}::uuid[])`
}

/** The text as prefixes of words that must all occur in the record; null when the text has no words. */
export function searchWords(text: string): string | null {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.slice(0, 10) ?? []
  return words.length === 0 ? null : words.map((word) => `'${word.slice(0, 60)}':*`).join(' & ')
}

/** The conditions of a request for records. @throws FORBIDDEN for a partner other than the caller's */
export function matching(caller: Caller, filters: AuditFilters & { q?: string | undefined }): Condition {
  const { partnerId } = filters
  if (caller.scope !== 'system' && partnerId !== undefined && partnerId !== caller.partnerId) {
    throw denied('Access denied to this partner')
  }
  const words = filters.q === undefined ? undefined : searchWords(filters.q)
  const equal: [string, string | undefined][] = [
    ['partner_id', partnerId],
    ['org_id', filters.orgId],
    ['actor_id', filters.actorId ?? filters.userId],
    ['actor_type', filters.actorType],
    ['action', filters.action],
    ['resource_type', filters.resourceType],
    ['resource_id', filters.resourceId],
    ['result', filters.result],
    ['ip_address', filters.ipAddress],
  ]
  const conditions = [
    readable(caller),
    ...equal.flatMap(([column, value]) => (value === undefined ? [] : [sql`a.${sql.ref(column)} = ${value}`])),
    ...(filters.from === undefined ? [] : [sql`a.at >= ${filters.from}`]),
    ...(filters.to === undefined ? [] : [sql`a.at < ${filters.to}`]),
    ...(words === undefined ? [] : [words === null ? sql`false` : sql`a.words @@ to_tsquery('simple', ${words})`]),
  ]
  return sql.join(conditions, sql` AND `)
}

const moment = sql`to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The columns of a record. `at` keeps its microseconds for cursors. A record is never updated. */
export const columns = sql`a.id, ${moment} AS at, ${moment} AS created_at, ${moment} AS updated_at, a.partner_id, a.org_id,
  a.actor_type, a.actor_id, a.actor_email, a.action, a.resource_type, a.resource_id, a.resource_name, a.result, a.details,
  a.changed_fields, a.ip_address, a.user_agent, a.request_id, a.chain_sequence AS sequence, encode(a.chain_hash, 'hex') AS hash`

export interface Position {
  readonly at: string
  readonly id: string
}
const before = (position: Position | null) =>
  position === null ? sql`` : sql` AND (a.at, a.id) < (${position.at}::timestamptz, ${position.id}::uuid)`

/** The newest records after a position. */
export async function newest(
  db: Db,
  condition: Condition,
  position: Position | null,
  limit: number,
  offset = 0,
): Promise<AuditLog[]> {
  const { rows } = await sql<AuditLog>`SELECT ${columns} FROM audit_logs a WHERE ${condition}${before(position)}
    ORDER BY a.at DESC, a.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

/** Counting stops here, because counting a million records would take a second. */
const countedMax = 10_000

/** How many records match. Beyond ten thousand, only that there are more. */
export async function countOf(db: Db, condition: Condition): Promise<{ total: number; totalIsMinimum?: true }> {
  const { rows } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM (SELECT FROM audit_logs a WHERE ${condition} LIMIT ${countedMax + 1}) counted`.execute(
    db,
  )
  const total = rows[0]?.total ?? 0
  return total > countedMax ? { total: countedMax, totalIsMinimum: true } : { total }
}
