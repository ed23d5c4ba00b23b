import type { Caller } from '@muster/kit/access.ts'
import { badRequest, conflict } from '@muster/kit/errors.ts'
import { type Call, implement } from '../../../operation.ts'
import { requireUnlimited, requireWorkingTenant, type Tenant, tenantOf } from '../../../tenancy/tenancy/index.ts'
import { limitsOf } from '../../auth/index.ts'
import { addOrganizationMember, addPartnerMember } from '../../memberships/index.ts'
import { allowsChanges, permissionsOf, requireHeld, roleFor } from '../../roles/index.ts'
import { accountFor } from '../accounts.ts'
import { requireNotGreaterMember } from '../greater-members.ts'
import { memberById, tenantOfMember } from '../members.queries.ts'
import { organizationReach, partnerReach, type ReachInput } from '../membership-reach.ts'
import { acceptInvite } from './accept-invitation.ts'
import { sendInvitation } from './invitation-mail.ts'
import { invitations as contract } from './invitations.contract.ts'

export default implement(contract, {
  async invite(call) {
    const { caller, input, db, audit, services } = call
    const { email, name, roleId, partnerId, orgId, ...reach } = input
    requireUnlimited(caller)
    await limitsOf(services).take('invitationPerUser', caller.userId)
    const tenant = await tenantOf(db, caller, { partnerId, orgId })
    await requireWorkingTenant(db, caller, tenant)
    const role = await roleFor(db, tenant, roleId)
    const granted = await permissionsOf(db, role.id)
    requireHeld(caller, granted)
    if (allowsChanges(granted)) await call.stepUp()
    const { userId, isNew } = await accountFor(db, services, email, name)
    await addMembership(call, tenant, { userId, roleId, displayName: isNew ? null : name }, reach)
    const inviteUrl = await sendInvitation(db, services, tenant, { userId, email, name }, byCaller(caller))
    const member = await memberById(db, caller, userId, tenantInputOf(tenant))
    audit({ target: userId, name: email, orgId: tenant.orgId, partnerId: tenant.partnerId, after: member })
    return { ...member, inviteUrl }
  },

  async resendInvite(call) {
    const { caller, input, db, audit, services } = call
    requireUnlimited(caller)
    const { userId, ...named } = input
    const member = await memberById(db, caller, userId, named)
    await requireNotGreaterMember(db, caller, member)
    if (member.status !== 'invited')
      throw badRequest(
        'userId: the user has accepted the invitation already. Only invitations of invited users can be sent again',
      )
    if (allowsChanges(await permissionsOf(db, member.roleId))) await call.stepUp()
    await limitsOf(services).take('invitationPerUser', caller.userId)
    const { email, name, orgId, partnerId } = member
    const tenant = await tenantOf(db, caller, tenantInputOf(tenantOfMember(member)))
    await requireWorkingTenant(db, caller, tenant)
    const inviteUrl = await sendInvitation(db, services, tenant, { userId, email, name }, byCaller(caller))
    audit({ target: userId, name: email, orgId, partnerId })
    return { success: true as const, inviteUrl }
  },

  acceptInvite,
})

const byCaller = ({ userId, email }: Caller) => ({ userId, email, isPresent: true })

const tenantInputOf = ({ partnerId, orgId }: Tenant) => ({ partnerId, ...(orgId === null ? {} : { orgId }) })

interface NewMember {
  readonly userId: string
  readonly roleId: string
  readonly displayName: string | null
}

async function addMembership({ db }: Call, tenant: Tenant, member: NewMember, reach: ReachInput) {
  const invited = { ...member, partnerId: tenant.partnerId, status: 'invited', acceptedAt: null } as const
  const isAdded =
    tenant.orgId === null
      ? await addPartnerMember(db, { ...invited, ...(await partnerReach(db, tenant, reach)) })
      : await addOrganizationMember(db, {
          ...invited,
          orgId: tenant.orgId,
          ...(await organizationReach(db, tenant, reach)),
        })
  if (!isAdded) throw conflict('User already exists in this scope')
}
