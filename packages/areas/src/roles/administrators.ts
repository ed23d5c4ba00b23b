// Administrators: active members who may do everything in all of their organisation or partner. A partner never loses its last.
import type { Db } from '@muster/db/database.ts'
import { conflict } from '@muster/kit/errors.ts'
import { sql } from 'kysely'

/** Roles that may do everything. */
const everything = sql`everything AS (
  SELECT rp.role_id AS id FROM role_permissions rp JOIN permissions p ON p.id = rp.permission_id
  WHERE p.resource = '*' AND p.action = '*'
  UNION
  SELECT r.id FROM roles r JOIN everything e ON r.parent_role_id = e.id
)`

/** Whom to tell of what an organisation has to know: its administrators, and its partner's as far as they reach it; at most 50. */
export async function administratorsOf(
  db: Db,
  { orgId, partnerId }: { readonly orgId: string; readonly partnerId: string },
): Promise<{ email: string; name: string }[]> {
  const { rows } = await sql<{ email: string; name: string }>`
    WITH RECURSIVE ${everything}
    SELECT DISTINCT u.email::text AS email, u.name FROM users u JOIN (
      SELECT user_id, role_id FROM organization_users
      WHERE org_id = ${orgId} AND status = 'active' AND site_ids IS NULL AND device_group_ids IS NULL
      UNION ALL
      SELECT user_id, role_id FROM partner_users
      WHERE partner_id = ${partnerId} AND status = 'active' AND (org_access = 'all' OR (org_access = 'selected' AND ${orgId} = ANY (org_ids)))
    ) m ON m.user_id = u.id
    WHERE u.status = 'active' AND m.role_id IN (SELECT id FROM everything) ORDER BY email LIMIT 50`.execute(db)
  return rows
}

async function administrators(db: Db, partnerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH RECURSIVE ${everything}
    SELECT count(*) AS count FROM partner_users m JOIN users u ON u.id = m.user_id
    WHERE m.partner_id = ${partnerId} AND m.status = 'active' AND u.status = 'active' AND m.org_access = 'all'
      AND m.role_id IN (SELECT id FROM everything)`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Makes a change that may take administrators away from a partner. Such changes wait for each other, so that two of them
 * cannot each leave the other's administrator.
 * @throws CONFLICT when none would be left
 */
export async function keepingAnAdministrator<T>(
  db: Db,
  partnerId: string | null,
  change: () => Promise<T>,
): Promise<T> {
  if (partnerId === null) return change()
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`administrators ${partnerId}`}, 0))`.execute(db)
  const before = await administrators(db, partnerId)
  const result = await change()
  if (before > 0 && (await administrators(db, partnerId)) === 0) {
    throw conflict('The last administrator of a partner cannot be removed, disabled or given a lesser role')
  }
  return result
}
