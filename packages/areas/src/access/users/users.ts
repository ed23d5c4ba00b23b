import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict } from '@muster/kit/errors.ts'
import { callersOf } from '../../caller-cache.ts'
import { implement } from '../../operation.ts'
import { isLimited, requireUnlimited, requireWorkingTenant, tenantOf } from '../../tenancy/tenancy/index.ts'
import { isPermission } from '../../vocabulary.contract.ts'
import { changeOrganizationMember, changePartnerMember } from '../memberships/index.ts'
import {
  allowsChanges,
  effectivePermissions,
  holdsAll,
  keepingAnAdministrator,
  permissionsOf,
  requireHeld,
  roleById,
  roleFor,
  rolesFor,
} from '../roles/index.ts'
import { disable, enable, removeMember, rename } from './accounts.ts'
import { requireNotGreaterMember } from './greater-members.ts'
import { type Member, memberById, membersOf, membersWithRole, tenantOfMember } from './members.queries.ts'
import { organizationReach, partnerReach, type ReachInput, saysReach } from './membership-reach.ts'
import { users as contract } from './users.contract.ts'

export default implement(contract, {
  async ofRole({ caller, input: { id, page, limit }, db }) {
    const role = await roleById(db, caller, id)
    return visibleTo(caller, await membersWithRole(db, caller, role, { page, limit }))
  },

  async list({ caller, input: { page, limit, search, status, roleId, ...named }, db }) {
    const tenant = await tenantOf(db, caller, named)
    return visibleTo(caller, await membersOf(db, tenant, { search, status, roleId }, { page, limit }))
  },

  async roles({ caller, input, db }) {
    const tenant = await tenantOf(db, caller, input)
    const found = await db
      .selectFrom('roles')
      .select(['id', 'name', 'description', 'isSystem'])
      .where(rolesFor(tenant))
      .orderBy('isSystem', 'desc')
      .orderBy('name')
      .execute()
    const allowed = await effectivePermissions(
      db,
      found.map(({ id }) => id),
    )
    const byRole = Map.groupBy(allowed, ({ roleId }) => roleId)
    const data = found.map((role) => {
      const permissions = (byRole.get(role.id) ?? []).map(({ resource, action }) => `${resource}:${action}`)
      return { ...role, scope: tenant.scope, assignable: holdsAll(caller, permissions.filter(isPermission)) }
    })
    return { data }
  },

  async get({ caller, input: { id, ...named }, db }) {
    return withVisibleLimits(caller, await memberById(db, caller, id, named))
  },

  async update(call) {
    const { caller, input, db, audit, afterCommit, services } = call
    const { id, name, status, ...named } = input
    requireUnlimited(caller)
    const before = await memberById(db, caller, id, named)
    await requireNotGreaterMember(db, caller, before)
    if (status === 'active' && before.status === 'invited')
      throw conflict('The user has not accepted the invitation yet. Send it again with POST /users/resend-invite')
    const isChanged = status !== undefined && status !== before.status
    if (isChanged && allowsChanges(await permissionsOf(db, before.roleId))) await call.stepUp()
    await keepingAnAdministrator(db, before, async () => {
      if (name !== undefined) await rename(db, services, before, name)
      if (status === 'disabled') await disable(db, services, before)
      if (status === 'active' && before.status === 'disabled') await enable(db, before)
    })
    const after = await reloaded(db, caller, before)
    audit({ ...subject(before), before, after })
    afterCommit(() => callersOf(services).clear())
    return after
  },

  async remove(call) {
    const { caller, input, db, audit, afterCommit, services } = call
    const { id, ...named } = input
    requireUnlimited(caller)
    const member = await memberById(db, caller, id, named)
    await requireNotGreaterMember(db, caller, member)
    if (allowsChanges(await permissionsOf(db, member.roleId))) await call.stepUp()
    await keepingAnAdministrator(db, member, () => removeMember(db, services, member))
    audit({ ...subject(member), before: member })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },

  async role(call) {
    const { caller, input, db, audit, afterCommit, services } = call
    const { id, roleId, partnerId, orgId, ...reach } = input
    requireUnlimited(caller)
    const before = await memberById(db, caller, id, { partnerId, orgId })
    const tenant = tenantOfMember(before)
    await requireWorkingTenant(db, caller, tenant)
    await requireNotGreaterMember(db, caller, before)
    const role = await roleFor(db, tenant, roleId)
    const granted = await permissionsOf(db, role.id)
    requireHeld(caller, granted)
    const [given, had] = [granted, await permissionsOf(db, before.roleId)].map(allowsChanges)
    if (given || had) await call.stepUp()
    await keepingAnAdministrator(db, before, () => assign(db, before, roleId, reach))
    const after = await reloaded(db, caller, before)
    audit({ ...subject(before), before, after })
    afterCommit(() => callersOf(services).clear())
    return after
  },
})

/** Shows a caller with limits only the part of a member's limits that both have. */
function withVisibleLimits<M extends Member>(caller: Caller, member: M): M {
  if (!isLimited(caller)) return member
  const common = (own: readonly string[] | null, ids: string[] | null) =>
    ids === null ? null : ids.filter((id) => own?.includes(id) === true)
  const siteIds = common(caller.siteIds, member.siteIds)
  return { ...member, siteIds, deviceGroupIds: common(caller.deviceGroupIds, member.deviceGroupIds) }
}

const visibleTo = <P extends { readonly data: readonly Member[] }>(caller: Caller, page: P) => ({
  ...page,
  data: page.data.map((member) => withVisibleLimits(caller, member)),
})

const subject = ({ id, email, orgId, partnerId }: Member) => ({ target: id, name: email, orgId, partnerId })

const reloaded = (db: Db, caller: Caller, { id, partnerId, orgId }: Member) =>
  memberById(db, caller, id, { partnerId, ...(orgId === null ? {} : { orgId }) })

async function assign(db: Db, member: Member, roleId: string, reach: ReachInput): Promise<void> {
  const tenant = tenantOfMember(member)
  if (tenant.orgId === null) {
    const wanted = saysReach(reach) ? await partnerReach(db, tenant, reach) : {}
    return changePartnerMember(db, member.membershipId, { roleId, ...wanted })
  }
  const { siteIds = member.siteIds, deviceGroupIds = member.deviceGroupIds } = reach
  const wanted = await organizationReach(db, tenant, { ...reach, siteIds, deviceGroupIds })
  await changeOrganizationMember(db, member.membershipId, { roleId, ...wanted })
}
