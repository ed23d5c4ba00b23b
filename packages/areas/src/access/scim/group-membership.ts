// The members of SCIM groups, and the one role that each member gets from them.
import type { Db } from '@muster/db/database.ts'
import { invariant } from '@muster/kit/errors.ts'
import { effectivePermissions, rolesFor } from '../roles/index.ts'
import type { ScimProvider } from '../sso/index.ts'
import { changeMember, memberOfOrganization } from '../users/index.ts'
import { tenantOf } from './provider-call.ts'

const leastRole = 'Org Viewer'

/** The role of a member without a group: the provider's default role, else the read-only one. */
export async function fallbackRole(db: Db, provider: ScimProvider): Promise<string> {
  const usable = await db
    .selectFrom('roles')
    .select(['id', 'name', 'isSystem'])
    .where(rolesFor(tenantOf(provider)))
    .execute()
  const found =
    usable.find(({ id }) => id === provider.defaultRoleId) ??
    usable.find(({ isSystem, name }) => isSystem && name === leastRole)
  invariant(found !== undefined, `the role ${leastRole} exists`)
  return found.id
}

/** The role with the most permissions. One with all permissions comes first; of two equal ones, the older. */
async function widest(db: Db, roleIds: readonly string[]): Promise<string | undefined> {
  const allowed = Map.groupBy(await effectivePermissions(db, roleIds), ({ roleId }) => roleId)
  const widthOf = (roleId: string) => {
    const permissions = allowed.get(roleId) ?? []
    const isEverything = permissions.some(({ resource, action }) => resource === '*' && action === '*')
    return isEverything ? Number.POSITIVE_INFINITY : permissions.length
  }
  return [...roleIds].sort((a, b) => widthOf(b) - widthOf(a) || (a < b ? -1 : 1))[0]
}

/** Gives each member the widest role of its groups. */
export async function assignRoles(db: Db, provider: ScimProvider, userIds: Iterable<string>): Promise<void> {
  const fallback = await fallbackRole(db, provider)
  for (const userId of userIds) {
    const member = await memberOfOrganization(db, provider.orgId, userId)
    if (member === undefined) continue
    const rows = await db
      .selectFrom('scimGroupMembers')
      .select('roleId')
      .where('providerId', '=', provider.id)
      .where('userId', '=', userId)
      .execute()
    const roleId = await widest(
      db,
      rows.map((row) => row.roleId),
    )
    await changeMember(db, member, { roleId: roleId ?? fallback })
  }
}
