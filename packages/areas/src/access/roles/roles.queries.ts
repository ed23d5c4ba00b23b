import { allOf, always, anyOf, type Condition, equals, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import type { Scope } from '@muster/kit/contract.ts'
import { notFound } from '@muster/kit/errors.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { sql } from 'kysely'
import { ofPartner, ofTenant, type Tenant, within } from '../../tenancy/tenancy/index.ts'
import { isPermission } from '../../vocabulary.contract.ts'

export interface RoleRow {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly scope: Scope
  readonly partnerId: string | null
  readonly orgId: string | null
  readonly parentRoleId: string | null
  readonly isSystem: boolean
  readonly forceMfa: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** Roles that members of the tenant can have: the built-in ones of its scope, and its own. */
export const rolesFor = (tenant: Tenant): Condition =>
  anyOf(
    allOf(equals('roles.isSystem', true), equals('roles.scope', tenant.scope)),
    ofTenant(tenant, 'roles.orgId', 'roles.partnerId'),
  )

/** Roles that the caller may see: the built-in ones of its scope and narrower, and custom ones within reach. */
function visibleTo(caller: Caller): Condition {
  if (caller.scope === 'system') return always
  const scopes: Scope[] = caller.scope === 'partner' ? ['partner', 'organization'] : ['organization']
  return anyOf(
    allOf(equals('roles.isSystem', true), isOneOf('roles.scope', scopes)),
    within(caller, 'roles.orgId', 'roles.partnerId'),
    ...(caller.scope === 'partner' ? [ofPartner(caller, 'roles.orgId', 'roles.partnerId')] : []),
  )
}

/** One role that the caller may see. @throws NOT_FOUND */
export async function roleById(db: Db, caller: Caller, id: string): Promise<RoleRow> {
  const role = await db
    .selectFrom('roles')
    .selectAll()
    .where('roles.id', '=', id)
    .where(visibleTo(caller))
    .executeTakeFirst()
  if (role === undefined) throw notFound('Role')
  return role
}

/** Locks the role until the transaction ends. @throws NOT_FOUND when another request deleted it meanwhile */
export async function lockRole(db: Db, { id }: RoleRow, why: 'to change' | 'to delete' = 'to change'): Promise<void> {
  const found = db.selectFrom('roles').select('id').where('id', '=', id)
  // The stronger lock also keeps the role from being given to a member meanwhile.
  const kept = await (why === 'to delete' ? found.forUpdate() : found.forNoKeyUpdate()).executeTakeFirst()
  if (kept === undefined) throw notFound('Role')
}

/** A role that members of the tenant can have, or that its roles can inherit from. @throws NOT_FOUND */
export async function roleFor(db: Db, tenant: Tenant, id: string, what = 'Role'): Promise<RoleRow> {
  const role = await db
    .selectFrom('roles')
    .selectAll()
    .where('roles.id', '=', id)
    .where(rolesFor(tenant))
    .executeTakeFirst()
  if (role === undefined) throw notFound(what)
  return role
}

/** How many users have each of the roles, among those within the caller's reach. */
export async function userCounts(db: Db, caller: Caller, roleIds: readonly string[]): Promise<Map<string, number>> {
  if (roleIds.length === 0) return new Map()
  const ofPartner = sql`(SELECT role_id FROM partner_users WHERE role_id = ANY (${[...roleIds]}::uuid[]) AND ${
    caller.scope === 'system' ? sql`true` : sql`partner_id = ${caller.scope === 'partner' ? caller.partnerId : null}`
  })`
  const reach =
    caller.scope === 'system'
      ? sql`true`
      : caller.scope === 'organization'
        ? sql`org_id = ${caller.orgId}`
        : caller.orgAccess === 'all'
          ? sql`partner_id = ${caller.partnerId}`
          : sql`org_id = ANY (${[...(caller.accessibleOrgIds ?? [])]}::uuid[])`
  const { rows } = await sql<{ roleId: string; count: number }>`
    SELECT role_id, count(*) AS count FROM (
      SELECT role_id FROM ${ofPartner} p
      UNION ALL SELECT role_id FROM organization_users WHERE role_id = ANY (${[...roleIds]}::uuid[]) AND ${reach}
      UNION ALL SELECT role_id FROM system_users WHERE role_id = ANY (${[...roleIds]}::uuid[])
    ) m GROUP BY role_id`.execute(db)
  return new Map(rows.map(({ roleId, count }) => [roleId, count]))
}

export interface EffectivePermission {
  readonly roleId: string
  readonly resource: string
  readonly action: string
  readonly sourceRoleId: string
  readonly sourceRoleName: string
  readonly inherited: boolean
}

/** The effective permissions of each role, its own and inherited, with the nearest source first. */
export async function effectivePermissions(db: Db, roleIds: readonly string[]): Promise<EffectivePermission[]> {
  const { rows } = await sql<EffectivePermission>`
    WITH RECURSIVE chain AS (
      SELECT id AS role_id, id AS source_id, parent_role_id, name, 0 AS depth FROM roles WHERE id = ANY (${[...roleIds]}::uuid[])
      UNION ALL
      SELECT c.role_id, r.id, r.parent_role_id, r.name, c.depth + 1 FROM chain c JOIN roles r ON r.id = c.parent_role_id
    ) CYCLE role_id, source_id SET again USING path
    SELECT c.role_id, p.resource, p.action, c.source_id AS source_role_id, c.name AS source_role_name, c.depth > 0 AS inherited
    FROM chain c JOIN role_permissions rp ON rp.role_id = c.source_id JOIN permissions p ON p.id = rp.permission_id
    WHERE NOT c.again
    ORDER BY c.role_id, c.depth, p.resource, p.action`.execute(db)
  return rows
}

/** The effective permissions of a role. */
export async function permissionsOf(db: Db, roleId: string): Promise<Set<Permission>> {
  const effective = await effectivePermissions(db, [roleId])
  return new Set(effective.map(({ resource, action }) => `${resource}:${action}`).filter(isPermission))
}

/** The permissions of a role and of all roles that inherit from it, which a change of the role affects. */
export async function permissionsAffected(db: Db, roleId: string): Promise<Set<Permission>> {
  const { rows } = await sql<{ id: string }>`
    WITH RECURSIVE heirs AS (
      SELECT id FROM roles WHERE id = ${roleId}
      UNION SELECT r.id FROM roles r JOIN heirs h ON r.parent_role_id = h.id
    ) SELECT id FROM heirs`.execute(db)
  const effective = await effectivePermissions(
    db,
    rows.map(({ id }) => id),
  )
  return new Set(effective.map(({ resource, action }) => `${resource}:${action}`).filter(isPermission))
}

/** The role's own permissions as `resource:action`, sorted. */
export async function directPermissions(db: Db, roleId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('rolePermissions')
    .innerJoin('permissions', 'permissions.id', 'rolePermissions.permissionId')
    .select(['permissions.resource', 'permissions.action'])
    .where('rolePermissions.roleId', '=', roleId)
    .execute()
  return rows.map(({ resource, action }) => `${resource}:${action}`).sort()
}
