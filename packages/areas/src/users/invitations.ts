import { asSystem, type Db } from '@muster/db/database.ts'
import { badRequest, conflict, unauthenticated } from '@muster/kit/errors.ts'
import { peppered } from '@muster/kit/keyring.ts'
import { requireStrongPassword } from '../auth/index.ts'
import { type Call, implement } from '../operation.ts'
import { permissionsOf, requireHeld, roleFor } from '../roles/index.ts'
import type { Services } from '../services.ts'
import { requireUnlimited, requireWorkingTenant, type Tenant, tenantOf } from '../tenancy/index.ts'
import { accountFor } from './accounts.ts'
import { requireNotGreaterMember } from './greater-members.ts'
import { sendInvitation } from './invitation-mail.ts'
import { invitations as contract } from './invitations.contract.ts'
import { memberById, tenantOfMember } from './members.queries.ts'
import { organizationReach, partnerReach, type ReachInput } from './membership-reach.ts'

export default implement(contract, {
  async invite(call) {
    const { caller, input, db, audit, services } = call
    const { email, name, roleId, partnerId, orgId, ...reach } = input
    requireUnlimited(caller)
    const tenant = await tenantOf(db, caller, { partnerId, orgId })
    await requireWorkingTenant(db, caller, tenant)
    const role = await roleFor(db, tenant, roleId)
    requireHeld(caller, await permissionsOf(db, role.id))
    const { userId, isNew } = await accountFor(db, services, email, name)
    await addMembership(call, tenant, { userId, roleId, displayName: isNew ? null : name }, reach)
    await sendInvitation(db, services, tenant, { userId, email, name }, caller)
    const member = await memberById(db, caller, userId, namedAs(tenant))
    audit({ target: userId, name: email, orgId: tenant.orgId, partnerId: tenant.partnerId, after: member })
    return member
  },

  async resendInvite(call) {
    const { caller, input, db, audit, services } = call
    requireUnlimited(caller)
    const { userId, ...named } = input
    const member = await memberById(db, caller, userId, named)
    await requireNotGreaterMember(db, caller, member)
    if (member.status !== 'invited')
      throw badRequest('Only a user who is still invited can be sent the invitation again')
    const { email, name, orgId, partnerId } = member
    const tenant = await tenantOf(db, caller, namedAs(tenantOfMember(member)))
    await requireWorkingTenant(db, caller, tenant)
    await sendInvitation(db, services, tenant, { userId, email, name }, caller)
    audit({ target: userId, name: email, orgId, partnerId })
    return { success: true as const }
  },

  async acceptInvite({ input, services, request, write, audit, after: effect }) {
    await services.limits.take('tokenPerAddress', request.ip)
    const tokenHash = peppered(services.keyring, input.token)
    const invited = await asSystem(services.system, (db) => invitedPerson(db, services, tokenHash))
    const password = await passwordToStore(services, invited, input)
    return write(async (db) => {
      const invitation = await db
        .deleteFrom('userInvitations')
        .where('tokenHash', '=', tokenHash)
        .returningAll()
        .executeTakeFirst()
      if (invitation === undefined) throw invalidInvitation()
      const names = password.isNew && input.name !== undefined ? { name: input.name } : {}
      await acceptMembership(db, services, invitation, 'name' in names)
      const now = new Date(services.clock.now()).toISOString()
      const secret = password.isNew ? { passwordHash: password.hash, passwordChangedAt: now } : {}
      await db
        .updateTable('users')
        .set({ status: 'active', ...names, ...secret })
        .where('id', '=', invited.id)
        .execute()
      const { partnerId, orgId } = invitation
      const actor = { type: 'user', id: invited.id, email: invited.email } as const
      audit({ target: invited.id, name: invited.email, partnerId, orgId, actor })
      effect(() => services.callers.clear())
      return { success: true as const, email: invited.email }
    })
  },
})

const namedAs = ({ partnerId, orgId }: Tenant) => ({ partnerId, ...(orgId === null ? {} : { orgId }) })

/** One answer for a link that is wrong, used, replaced, withdrawn or too old. */
const invalidInvitation = () => badRequest('This invitation is not valid any more. Ask for a new one')

interface NewMember {
  readonly userId: string
  readonly roleId: string
  readonly displayName: string | null
}

async function addMembership({ db }: Call, tenant: Tenant, member: NewMember, reach: ReachInput) {
  const invited = { ...member, partnerId: tenant.partnerId, status: 'invited', acceptedAt: null } as const
  const added =
    tenant.orgId === null
      ? await db
          .insertInto('partnerUsers')
          .values({ ...invited, ...(await partnerReach(db, tenant, reach)) })
          .onConflict((row) => row.columns(['partnerId', 'userId']).doNothing())
          .returning('id')
          .executeTakeFirst()
      : await db
          .insertInto('organizationUsers')
          .values({ ...invited, orgId: tenant.orgId, ...(await organizationReach(db, tenant, reach)) })
          .onConflict((row) => row.columns(['orgId', 'userId']).doNothing())
          .returning('id')
          .executeTakeFirst()
  if (added === undefined) throw conflict('User already exists in this scope')
}

interface InvitedPerson {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly passwordHash: string | null
  readonly activeElsewhere: boolean
}

async function invitedPerson(db: Db, services: Services, tokenHash: string): Promise<InvitedPerson> {
  const person = await db
    .selectFrom('userInvitations')
    .innerJoin('users', 'users.id', 'userInvitations.userId')
    .innerJoin('partners', 'partners.id', 'userInvitations.partnerId')
    .leftJoin('organizations', 'organizations.id', 'userInvitations.orgId')
    .select(['users.id', 'users.email', 'users.name', 'users.passwordHash'])
    .select((eb) => [
      eb
        .or([
          eb.exists(
            eb
              .selectFrom('partnerUsers')
              .whereRef('userId', '=', 'users.id')
              .where('partnerUsers.status', '=', 'active'),
          ),
          eb.exists(
            eb
              .selectFrom('organizationUsers')
              .whereRef('userId', '=', 'users.id')
              .where('organizationUsers.status', '=', 'active'),
          ),
          eb.exists(eb.selectFrom('systemUsers').whereRef('userId', '=', 'users.id')),
        ])
        .as('activeElsewhere'),
    ])
    .where('userInvitations.tokenHash', '=', tokenHash)
    .where('userInvitations.expiresAt', '>', new Date(services.clock.now()).toISOString())
    .where('partners.deletedAt', 'is', null)
    .where('organizations.deletedAt', 'is', null)
    .executeTakeFirst()
  if (person === undefined) throw invalidInvitation()
  return { ...person, activeElsewhere: Boolean(person.activeElsewhere) }
}

/**
 * Who signs in elsewhere already proves it with the password of that account, which stays. Everybody else chooses one:
 * the link has proved the mailbox, as a reset would.
 */
async function passwordToStore(services: Services, invited: InvitedPerson, input: { name?: string; password: string }) {
  if (invited.activeElsewhere) {
    if (invited.passwordHash === null) return { isNew: false } as const
    if (await services.passwords.verify(invited.passwordHash, input.password)) return { isNew: false } as const
    throw unauthenticated('The password of this account is another one')
  }
  await requireStrongPassword(input.password, [invited.email, input.name ?? invited.name])
  return { isNew: true, hash: await services.passwords.hash(input.password) } as const
}

async function acceptMembership(
  db: Db,
  services: Services,
  { userId, partnerId, orgId }: { userId: string; partnerId: string; orgId: string | null },
  ownName: boolean,
): Promise<void> {
  const acceptedAt = new Date(services.clock.now()).toISOString()
  const accepted = { status: 'active', acceptedAt, ...(ownName ? { displayName: null } : {}) } as const
  const membership = { userId, status: 'invited' } as const
  if (orgId === null) {
    await db
      .updateTable('partnerUsers')
      .set(accepted)
      .where((eb) => eb.and({ ...membership, partnerId }))
      .execute()
    return
  }
  await db
    .updateTable('organizationUsers')
    .set(accepted)
    .where((eb) => eb.and({ ...membership, orgId }))
    .execute()
}
