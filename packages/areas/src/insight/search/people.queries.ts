// A tenant has few enough users and organizations to scan them all.
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type RawBuilder, sql } from 'kysely'
import { escaped, type Match, matches, scoreOf } from './score.ts'
import type { Hit } from './search.contract.ts'

const orgReach = (caller: Caller, orgId: RawBuilder<unknown>, partnerId: RawBuilder<unknown>) =>
  caller.scope === 'system'
    ? sql`true`
    : caller.scope === 'organization'
      ? sql`${orgId} = ${caller.orgId}`
      : caller.orgAccess === 'all'
        ? sql`${partnerId} = ${caller.partnerId}`
        : sql`${orgId} = ANY (${[...(caller.accessibleOrgIds ?? [])]}::uuid[])`

export async function findOrganizations(
  db: Db,
  caller: Caller,
  query: string,
  match: Match,
  limit: number,
): Promise<Hit[]> {
  const name = sql`o.name`
  const reach = orgReach(caller, sql`o.id`, sql`o.partner_id`)
  const { rows } = await sql<Hit>`
    SELECT 'organization' AS type, o.id, o.name AS title, o.slug AS subtitle, o.id AS org_id, o.name AS org_name,
      ${scoreOf(name, query)}::float8 AS score
    FROM organizations o JOIN partners p ON p.id = o.partner_id AND p.deleted_at IS NULL
    WHERE o.deleted_at IS NULL AND ${reach} AND (${matches(name, query, match)} OR o.slug = ${query.toLowerCase()})
    ORDER BY score DESC, o.name, o.id LIMIT ${limit}`.execute(db)
  return rows
}

/** How many matches are scored. Exact and prefix matches of name or address come first. */
const comparedMax = 300

export async function findUsers(db: Db, caller: Caller, query: string, match: Match, limit: number): Promise<Hit[]> {
  const partner =
    caller.scope === 'system'
      ? sql`true`
      : caller.scope === 'partner'
        ? sql`m.partner_id = ${caller.partnerId}`
        : sql`false`
  const email = sql`u.email::text`
  const shown = sql`coalesce(m.display_name, u.name)`
  const matching = sql`(${matches(shown, query, match)} OR ${matches(email, query, match)})`
  const beginning = `${escaped(query)}%`
  const { rows } = await sql<Hit>`
    WITH found AS (
      SELECT u.id, ${shown} AS name, ${email} AS email, NULL::uuid AS org_id, NULL AS org_name
      FROM partner_users m JOIN users u ON u.id = m.user_id WHERE ${partner} AND ${matching}
      UNION ALL
      SELECT u.id, ${shown}, ${email}, o.id, o.name
      FROM organization_users m JOIN users u ON u.id = m.user_id
        JOIN organizations o ON o.id = m.org_id AND o.deleted_at IS NULL
      WHERE ${orgReach(caller, sql`m.org_id`, sql`m.partner_id`)} AND ${matching}
    ), compared AS (
      SELECT * FROM found ORDER BY (lower(name) = ${query.toLowerCase()} OR email = ${query.toLowerCase()}) DESC,
        (name ILIKE ${beginning} OR email ILIKE ${beginning}) DESC, name, id LIMIT ${comparedMax}
    )
    SELECT 'user' AS type, id, name AS title, email AS subtitle, org_id, org_name,
      greatest(${scoreOf(sql`name`, query)}, ${scoreOf(sql`email`, query)})::float8 AS score
    FROM compared ORDER BY score DESC, title, id LIMIT ${limit}`.execute(db)
  return rows
}
