// Who is in which group, and the one role that follows from it.
import type { Db } from '@muster/db/database.ts'
import { invariant } from '@muster/kit/errors.ts'
import { effectivePermissions, rolesFor } from '../roles/index.ts'
import type { ScimProvider } from '../sso/index.ts'
import { changeMember, memberOfOrganization } from '../users/index.ts'
import { tenantOf } from './provider-call.ts'

const leastRole = 'Org Viewer'

/** What a member without a group gets: the provider's default role, else the one that sees and changes nothing. */
export async function fallbackRole(db: Db, provider: ScimProvider): Promise<string> {
  const usable = await db
    .selectFrom('roles')
    .select(['id', 'name', 'isSystem'])
    .where(rolesFor(tenantOf(provider)))
    .execute()
  const found =
    usable.find(({ id }) => id === provider.defaultRoleId) ??
    usable.find(({ isSystem, name }) => isSystem && name === leastRole)
  invariant(found !== undefined, `there is a role ${leastRole}`)
  return found.id
}

/** The widest of the roles: the one that allows everything, else the one that allows most; the older of two alike. */
async function widest(db: Db, roleIds: readonly string[]): Promise<string | undefined> {
  const allowed = Map.groupBy(await effectivePermissions(db, roleIds), ({ roleId }) => roleId)
  const widthOf = (roleId: string) => {
    const permissions = allowed.get(roleId) ?? []
    const isEverything = permissions.some(({ resource, action }) => resource === '*' && action === '*')
    return isEverything ? Number.POSITIVE_INFINITY : permissions.length
  }
  return [...roleIds].sort((a, b) => widthOf(b) - widthOf(a) || (a < b ? -1 : 1))[0]
}

/** Gives each member the role that its groups come to. */
export async function settleRoles(db: Db, provider: ScimProvider, userIds: Iterable<string>): Promise<void> {
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
