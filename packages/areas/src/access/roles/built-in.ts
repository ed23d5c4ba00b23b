import type { Db } from '@muster/db/database.ts'
import type { Scope } from '@muster/kit/contract.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { permissionCatalog } from '../../vocabulary.contract.ts'

interface BuiltInRole {
  readonly name: string
  readonly scope: Scope
  readonly description: string
  readonly forceMfa?: boolean
  readonly permissions: readonly Permission[]
}

const readOnly: Permission[] = [
  'devices:read',
  'scripts:read',
  'alerts:read',
  'automations:read',
  'reports:read',
  'organizations:read',
  'sites:read',
  'users:read',
]
const technician: Permission[] = [
  ...readOnly,
  'devices:write',
  'devices:execute',
  'scripts:write',
  'scripts:execute',
  'alerts:write',
  'alerts:acknowledge',
  'automations:write',
  'reports:write',
  'reports:export',
  'remote:access',
]

/** The built-in roles of each installation. Users cannot change them. Each start brings them up to date. */
export const builtInRoles: readonly BuiltInRole[] = [
  {
    name: 'System Admin',
    scope: 'system',
    description: 'All permissions in the installation',
    forceMfa: true,
    permissions: ['*:*'],
  },
  {
    name: 'Partner Admin',
    scope: 'partner',
    description: 'All permissions in the partner and its organizations',
    forceMfa: true,
    permissions: ['*:*'],
  },
  {
    name: 'Partner Technician',
    scope: 'partner',
    description: 'Manages and operates the devices of the partner’s organizations',
    permissions: technician,
  },
  {
    name: 'Partner Viewer',
    scope: 'partner',
    description: 'Read-only access to the partner and its organizations',
    permissions: readOnly,
  },
  {
    name: 'Org Admin',
    scope: 'organization',
    description: 'All permissions in the organization',
    forceMfa: true,
    permissions: ['*:*'],
  },
  {
    name: 'Org Technician',
    scope: 'organization',
    description: 'Manages and operates the devices of the organization',
    permissions: technician,
  },
  {
    name: 'Org Viewer',
    scope: 'organization',
    description: 'Read-only access to the organization',
    permissions: readOnly,
  },
]

async function savePermissions(db: Db): Promise<ReadonlyMap<Permission, string>> {
  const ids = new Map<Permission, string>()
  for (const permission of Object.keys(permissionCatalog) as Permission[]) {
    const [resource = '', action = ''] = permission.split(':')
    const { id } = await db
      .insertInto('permissions')
      .values({ resource, action, description: permissionCatalog[permission] })
      .onConflict((row) =>
        row.columns(['resource', 'action']).doUpdateSet({ description: permissionCatalog[permission] }),
      )
      .returning('id')
      .executeTakeFirstOrThrow()
    ids.set(permission, id)
  }
  return ids
}

/** Writes the permissions and built-in roles of this version. Several processes may run it at once. */
export async function ensureBuiltInRoles(db: Db): Promise<void> {
  const ids = await savePermissions(db)
  for (const { name, scope, description, forceMfa = false, permissions } of builtInRoles) {
    const known = await db
      .selectFrom('roles')
      .select('id')
      .where('isSystem', '=', true)
      .where('scope', '=', scope)
      .where('name', '=', name)
      .executeTakeFirst()
    const role =
      known ??
      (await db
        .insertInto('roles')
        .values({ name, scope, description, forceMfa, isSystem: true })
        .returning('id')
        .executeTakeFirstOrThrow())
    const granted = permissions.flatMap((permission) => ids.get(permission) ?? [])
    await db
      .deleteFrom('rolePermissions')
      .where('roleId', '=', role.id)
      .where('permissionId', 'not in', granted)
      .execute()
    await db
      .insertInto('rolePermissions')
      .values(granted.map((permissionId) => ({ roleId: role.id, permissionId })))
      .onConflict((row) => row.doNothing())
      .execute()
  }
}

/** Adds the role of the first administrator of a partner, with all permissions. */
export async function addAdministratorRole(db: Db, partnerId: string): Promise<{ id: string }> {
  const role = await db
    .insertInto('roles')
    .values({
      name: 'Administrator',
      scope: 'partner',
      partnerId,
      description: 'All permissions in the partner and its organizations',
      forceMfa: true,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('rolePermissions')
    .columns(['roleId', 'permissionId'])
    .expression((eb) =>
      eb
        .selectFrom('permissions')
        .select((row) => [row.val(role.id).as('roleId'), 'permissions.id'])
        .where('resource', '=', '*')
        .where('action', '=', '*'),
    )
    .execute()
  return role
}
