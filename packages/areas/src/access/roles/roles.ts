import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { badRequest, conflict, denied } from '@muster/kit/errors.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { sql } from 'kysely'
import { callersOf } from '../../caller-cache.ts'
import { implement } from '../../operation.ts'
import { requireUnlimited, requireWorkingTenant, type Tenant, tenantOf } from '../../tenancy/tenancy/index.ts'
import { recordPromotion } from '../memberships/index.ts'
import { keepingAnAdministrator } from './administrators.ts'
import { knownPermissions, requireHeld, requireNotGreater } from './grants.ts'
import { roles as contract } from './roles.contract.ts'
import {
  directPermissions,
  effectivePermissions,
  lockRole,
  permissionsAffected,
  permissionsOf,
  type RoleRow,
  roleById,
  roleFor,
  rolesFor,
  userCounts,
} from './roles.queries.ts'

export default implement(contract, {
  async list({ caller, input, db }) {
    const tenant = await tenantOf(db, caller, input)
    const found = await db
      .selectFrom('roles')
      .selectAll()
      .where(rolesFor(tenant))
      .orderBy('isSystem', 'desc')
      .orderBy('name')
      .execute()
    const counts = await userCounts(
      db,
      caller,
      found.map(({ id }) => id),
    )
    return { data: found.map((role) => ({ ...role, userCount: counts.get(role.id) ?? 0 })) }
  },

  async create({ caller, input, db, audit, afterCommit, services }) {
    const { name, description = null, permissions = [], parentRoleId = null, forceMfa = false } = input
    requireUnlimited(caller)
    const tenant = await tenantOf(db, caller, input)
    await requireWorkingTenant(db, caller, tenant)
    const own = knownPermissions(permissions)
    requireHeld(caller, own)
    await requireGrantableParent(db, caller, tenant, parentRoleId)
    const role = await insertRole(db, tenant, { name, description, parentRoleId, forceMfa }, own)
    const made = await detail(db, caller, role)
    audit({ target: role.id, name, orgId: role.orgId, partnerId: role.partnerId, after: auditable(made) })
    afterCommit(() => callersOf(services).clear())
    return made
  },

  async get({ caller, input, db }) {
    return detail(db, caller, await roleById(db, caller, input.id))
  },

  async update({ caller, input, db, audit, afterCommit, services }) {
    const { id, permissions, parentRoleId, ...fields } = input
    requireUnlimited(caller)
    const role = await roleById(db, caller, id)
    if (role.isSystem) throw denied('Cannot modify system roles')
    await lockRole(db, role)
    const allowed = await permissionsAffected(db, id)
    requireNotGreater(caller, 'a role', allowed)
    const before = await detail(db, caller, role)
    await keepingAnAdministrator(db, role, async () => {
      if (parentRoleId !== undefined) await changeParent(db, caller, role, parentRoleId)
      if (permissions !== undefined) await changePermissions(db, caller, role, knownPermissions(permissions))
      if (Object.keys(fields).length > 0) {
        await requireFreeName(db, role.scope, fields.name)
        await db.updateTable('roles').set(fields).where('id', '=', id).execute()
      }
    })
    const isWider = [...(await permissionsAffected(db, id))].some((permission) => !allowed.has(permission))
    if (isWider) await recordPromotion(db, id, caller.userId)
    const after = await detail(db, caller, await roleById(db, caller, id))
    const { orgId, partnerId } = role
    audit({ target: id, name: after.name, orgId, partnerId, before: auditable(before), after: auditable(after) })
    afterCommit(() => callersOf(services).clear())
    return after
  },

  async remove({ caller, input, db, audit }) {
    requireUnlimited(caller)
    const role = await roleById(db, caller, input.id)
    if (role.isSystem) throw denied('Cannot delete system roles')
    await lockRole(db, role, 'to delete')
    requireNotGreater(caller, 'a role', await permissionsAffected(db, role.id))
    await requireUnused(db, caller, role)
    const before = await detail(db, caller, role)
    await db.deleteFrom('roles').where('id', '=', role.id).execute()
    const { orgId, partnerId } = role
    audit({ target: role.id, name: role.name, orgId, partnerId, before: auditable(before) })
    return { success: true as const }
  },

  async clone({ caller, input, db, audit }) {
    requireUnlimited(caller)
    const source = await roleById(db, caller, input.id)
    const tenant = await tenantOf(db, caller, { ...ownerOf(source), ...input })
    await requireWorkingTenant(db, caller, tenant)
    await roleFor(db, tenant, source.id)
    const all = await permissionsOf(db, source.id)
    requireHeld(caller, all)
    const { description, forceMfa } = source
    const role = await insertRole(db, tenant, { name: input.name, description, parentRoleId: null, forceMfa }, all)
    const made = await detail(db, caller, role)
    const { orgId, partnerId } = role
    audit({
      target: role.id,
      name: role.name,
      orgId,
      partnerId,
      after: auditable(made),
      details: { clonedFrom: source.id, clonedFromName: source.name },
    })
    return made
  },

  async effectivePermissions({ caller, input, db }) {
    const role = await roleById(db, caller, input.id)
    return { roleId: role.id, permissions: await effectivePermissions(db, [role.id]) }
  },
})

const ownerOf = ({ partnerId, orgId }: RoleRow) => ({
  ...(partnerId === null ? {} : { partnerId }),
  ...(orgId === null ? {} : { orgId }),
})

async function detail(db: Db, caller: Caller, role: RoleRow) {
  const counts = await userCounts(db, caller, [role.id])
  const permissions = (await directPermissions(db, role.id)).map((permission) => {
    const [resource = '', action = ''] = permission.split(':')
    return { resource, action }
  })
  return { ...role, userCount: counts.get(role.id) ?? 0, permissions }
}

/** A role in the form of the audit log: permissions as text, without the count of users, which changes by itself. */
function auditable({ permissions, userCount: _, ...role }: Awaited<ReturnType<typeof detail>>) {
  return { ...role, permissions: permissions.map(({ resource, action }) => `${resource}:${action}`) }
}

interface NewRole {
  readonly name: string
  readonly description: string | null
  readonly parentRoleId: string | null
  readonly forceMfa: boolean
}

async function insertRole(db: Db, tenant: Tenant, role: NewRole, permissions: Iterable<Permission>) {
  const { scope, partnerId, orgId } = tenant
  await requireFreeName(db, scope, role.name)
  const made = await db
    .insertInto('roles')
    .values({ ...role, scope, partnerId, orgId })
    .returningAll()
    .executeTakeFirstOrThrow()
  await addPermissions(db, made.id, permissions)
  return made
}

async function addPermissions(db: Db, roleId: string, permissions: Iterable<Permission>): Promise<void> {
  await sql`INSERT INTO role_permissions (role_id, permission_id)
    SELECT ${roleId}, id FROM permissions WHERE resource || ':' || action = ANY (${[...permissions]}::text[])`.execute(
    db,
  )
}

async function changePermissions(db: Db, caller: Caller, role: RoleRow, wanted: Set<Permission>): Promise<void> {
  const now = new Set(await directPermissions(db, role.id))
  const added = [...wanted].filter((permission) => !now.has(permission))
  requireHeld(caller, added)
  await sql`DELETE FROM role_permissions rp USING permissions p
    WHERE rp.role_id = ${role.id} AND p.id = rp.permission_id
      AND p.resource || ':' || p.action <> ALL (${[...wanted]}::text[])`.execute(db)
  await addPermissions(db, role.id, added)
}

async function requireGrantableParent(db: Db, caller: Caller, tenant: Tenant, parentRoleId: string | null) {
  if (parentRoleId === null) return
  const parent = await roleFor(db, tenant, parentRoleId, 'Parent role')
  requireHeld(caller, await permissionsOf(db, parent.id))
}

async function changeParent(db: Db, caller: Caller, role: RoleRow, parentRoleId: string | null): Promise<void> {
  // Serialize, because two simultaneous changes could create a cycle that neither of them sees.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`role parents ${role.orgId ?? role.partnerId}`}, 0))`.execute(
    db,
  )
  const tenant = await tenantOf(db, caller, ownerOf(role))
  if (parentRoleId !== null && (await ancestors(db, parentRoleId)).has(role.id)) {
    throw badRequest('This parent would create circular inheritance')
  }
  if (parentRoleId !== role.parentRoleId) await requireGrantableParent(db, caller, tenant, parentRoleId)
  await db.updateTable('roles').set({ parentRoleId }).where('id', '=', role.id).execute()
}

/** The role itself and all roles that it inherits from. */
async function ancestors(db: Db, roleId: string): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    WITH RECURSIVE chain AS (
      SELECT id, parent_role_id FROM roles WHERE id = ${roleId}
      UNION
      SELECT r.id, r.parent_role_id FROM roles r JOIN chain c ON r.id = c.parent_role_id
    ) SELECT id FROM chain`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

async function requireUnused(db: Db, caller: Caller, role: RoleRow): Promise<void> {
  const userCount = (await userCounts(db, caller, [role.id])).get(role.id) ?? 0
  const { childRoleCount } = await db
    .selectFrom('roles')
    .select((eb) => eb.fn.countAll<number>().as('childRoleCount'))
    .where('parentRoleId', '=', role.id)
    .executeTakeFirstOrThrow()
  const providers = await db
    .selectFrom('ssoProviders')
    .select(['id', 'name'])
    .where('defaultRoleId', '=', role.id)
    .orderBy('name')
    .execute()
  const providerCount = providers.length
  const blockers = userCount + childRoleCount + providerCount
  if (blockers === 0) return
  const uses = [`${userCount} users have it`, `${childRoleCount} roles inherit from it`]
  const names = providers.map(({ name }) => name).join(', ')
  if (providerCount > 0) uses.push(`${providerCount} identity providers give it to new members: ${names}`)
  throw badRequest(`The role is in use: ${uses.join(', ')}`, { blockers, userCount, childRoleCount, providerCount })
}

/** A custom role with the name of a built-in role could be mistaken for it. */
async function requireFreeName(db: Db, scope: RoleRow['scope'], name: string | undefined): Promise<void> {
  if (name === undefined) return
  const builtIn = await db
    .selectFrom('roles')
    .select('id')
    .where('isSystem', '=', true)
    .where('scope', '=', scope)
    .where((eb) => eb(eb.fn<string>('lower', ['name']), '=', name.toLowerCase()))
    .executeTakeFirst()
  if (builtIn !== undefined) throw conflict('A role with this name already exists')
}
