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

const seeing: Permission[] = [
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
  ...seeing,
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

/** The roles that every installation has. They are immutable, and brought up to date at each start. */
export const builtInRoles: readonly BuiltInRole[] = [
  {
    name: 'System Admin',
    scope: 'system',
    description: 'Runs the installation',
    forceMfa: true,
    permissions: ['*:*'],
  },
  {
    name: 'Partner Admin',
    scope: 'partner',
    description: 'Everything within the partner',
    forceMfa: true,
    permissions: ['*:*'],
  },
  {
    name: 'Partner Technician',
    scope: 'partner',
    description: 'Works on the devices of customers',
    permissions: technician,
  },
  { name: 'Partner Viewer', scope: 'partner', description: 'Sees the partner, changes nothing', permissions: seeing },
  {
    name: 'Org Admin',
    scope: 'organization',
    description: 'Everything within the organization',
    forceMfa: true,
    permissions: ['*:*'],
  },
  {
    name: 'Org Technician',
    scope: 'organization',
    description: 'Works on the devices of the organization',
    permissions: technician,
  },
  {
    name: 'Org Viewer',
    scope: 'organization',
    description: 'Sees the organization, changes nothing',
    permissions: seeing,
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

/** Makes the permissions and built-in roles as this version defines them. Safe to run from several processes at once. */
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
