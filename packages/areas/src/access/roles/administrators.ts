// Administrators are active members with all permissions in the whole of their organization or partner. A tenant that has an
// administrator always keeps at least one.
import type { Db } from '@muster/db/database.ts'
import { conflict } from '@muster/kit/errors.ts'
import { sql } from 'kysely'

/** Roles with all permissions. */
const everything = sql`everything AS (
  SELECT rp.role_id AS id FROM role_permissions rp JOIN permissions p ON p.id = rp.permission_id
  WHERE p.resource = '*' AND p.action = '*'
  UNION
  SELECT r.id FROM roles r JOIN everything e ON r.parent_role_id = e.id
)`

/** The administrators of an organization, and those of its partner who reach it, for notifications; at most 50. */
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

/** The administrators of a partner, at most 50. */
export async function partnerAdministrators(db: Db, partnerId: string): Promise<{ email: string; name: string }[]> {
  const { rows } = await sql<{ email: string; name: string }>`
    WITH RECURSIVE ${everything}
    SELECT u.email::text AS email, u.name FROM partner_users m JOIN users u ON u.id = m.user_id
    WHERE m.partner_id = ${partnerId} AND m.status = 'active' AND u.status = 'active'
      AND m.role_id IN (SELECT id FROM everything) ORDER BY email LIMIT 50`.execute(db)
  return rows
}

/** A partner (`orgId` null) or one of its organizations. */
export interface Administered {
  readonly partnerId: string | null
  readonly orgId: string | null
}

const isBuiltIn = ({ partnerId }: Administered): boolean => partnerId === null
const keyOf = ({ partnerId, orgId }: Administered): string => orgId ?? partnerId ?? ''

async function countAdministrators(db: Db, { partnerId, orgId }: Administered): Promise<number> {
  const members =
    orgId === null
      ? sql`partner_users m WHERE m.partner_id = ${partnerId} AND m.org_access = 'all'`
      : sql`organization_users m WHERE m.org_id = ${orgId} AND m.site_ids IS NULL AND m.device_group_ids IS NULL`
  const { rows } = await sql<{ count: number }>`
    WITH RECURSIVE ${everything}, members AS (SELECT m.* FROM ${members})
    SELECT count(*) AS count FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.status = 'active' AND u.status = 'active' AND m.role_id IN (SELECT id FROM everything)`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Makes a change that may remove administrators from tenants. Such changes take locks in one order, so that two simultaneous
 * changes cannot each remove the other's administrator.
 * @throws CONFLICT when a tenant had an administrator and would have none
 */
export async function keepingAnAdministrator<T>(
  db: Db,
  concerned: Administered | readonly Administered[],
  change: () => Promise<T>,
): Promise<T> {
  const all = new Map([concerned].flat().map((one) => [keyOf(one), one]))
  const tenants = [...all.values()].filter((one) => !isBuiltIn(one)).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const before: number[] = []
  for (const tenant of tenants) {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`administrators ${keyOf(tenant)}`}, 0))`.execute(db)
    before.push(await countAdministrators(db, tenant))
  }
  const result = await change()
  for (const [index, tenant] of tenants.entries()) {
    if (before[index] === 0 || (await countAdministrators(db, tenant)) > 0) continue
    const whose = tenant.orgId === null ? 'a partner' : 'an organization'
    throw conflict(
      `The last administrator of ${whose} cannot be removed, disabled or given a lesser role. Make another user administrator first`,
    )
  }
  return result
}
