// Members that an identity provider creates, updates and removes, through the system's connection. A provider acts for its own
// organization only: it neither takes over nor changes an account that belongs to another tenant or to a person.

import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Services } from '../../services.ts'
import type { Tenant } from '../../tenancy/tenancy/index.ts'
import { addOrganizationMember, changeOrganizationMember } from '../memberships/index.ts'
import { allowsChanges, permissionsOf } from '../roles/index.ts'
import { disable, enable, isKnownElsewhere, removeMember, rename } from './accounts.ts'
import { sendInvitation } from './invitations/invitation-mail.ts'
import type { Member } from './members.queries.ts'

type Organization = Extract<Tenant, { scope: 'organization' }>

interface NewMember {
  readonly email: string
  readonly name: string
  readonly roleId: string
}

/**
 * Whether the person has proven the mailbox or was accepted by another tenant. Then only the person can accept memberships.
 * A password that was set before any proof opens nothing, so it does not count.
 */
async function isOwned(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ owned: boolean }>`
    SELECT email_verified_at IS NOT NULL
      OR EXISTS (SELECT FROM partner_users m WHERE m.user_id = u.id AND m.vouched_at IS NOT NULL)
      OR EXISTS (SELECT FROM organization_users m WHERE m.user_id = u.id AND m.vouched_at IS NOT NULL) AS owned
    FROM users u WHERE u.id = ${userId}`.execute(db)
  return rows[0]?.owned !== false
}

const membership = ({ orgId, partnerId }: Organization, userId: string, { roleId }: NewMember) =>
  ({ orgId, partnerId, userId, roleId, status: 'active' }) as const

/**
 * Creates an account without a password, and its membership. The address must not have an account yet. The provider vouches
 * for the address in its own organization only.
 */
export async function addMember(db: Db, tenant: Organization, member: NewMember): Promise<string> {
  const { email, name } = member
  const { id } = await db
    .insertInto('users')
    .values({ email, name, status: 'active' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await addOrganizationMember(db, membership(tenant, id, member))
  return id
}

/**
 * Adds the person with an address to the organization. A person whose account is also known elsewhere is invited and has to
 * accept. Others become active members.
 * @returns the user ID; null when the person is a member already
 */
export async function provisionMember(
  db: Db,
  services: Services,
  tenant: Organization,
  member: NewMember,
  by: string,
): Promise<string | null> {
  const { email, name } = member
  const known = await db.selectFrom('users').select('id').where('email', '=', email).forNoKeyUpdate().executeTakeFirst()
  if (known === undefined) return addMember(db, tenant, member)
  const userId = known.id
  const belongsElsewhere = (await isOwned(db, userId)) || (await isKnownElsewhere({ inSystem: db }, userId, userId))
  const invited = belongsElsewhere ? ({ status: 'invited', acceptedAt: null, displayName: name } as const) : {}
  if (!(await addOrganizationMember(db, { ...membership(tenant, userId, member), ...invited }))) return null
  if (belongsElsewhere)
    await sendInvitation(db, services, tenant, { userId, email, name }, { userId: null, email: by, isPresent: false })
  else await db.updateTable('users').set({ status: 'active', name }).where('id', '=', userId).execute()
  return userId
}

/**
 * Accepts a member's invitation on behalf of the organization's own provider.
 * @returns false for an account whose owner has to accept
 */
export async function acceptByProvider(db: Db, member: Member): Promise<boolean> {
  const { id, membershipId } = member
  if (await isOwned(db, id)) return false
  if (await isKnownElsewhere({ inSystem: db }, id, membershipId)) return false
  await changeOrganizationMember(db, membershipId, { status: 'active', acceptedAt: new Date().toISOString() })
  await db.deleteFrom('userInvitations').where('userId', '=', id).where('orgId', '=', member.orgId).execute()
  await db.updateTable('users').set({ status: 'active' }).where('id', '=', id).where('status', '=', 'invited').execute()
  return true
}

/** The fields of a member that a provider may change. */
export interface ProvisionedChanges {
  readonly email?: string
  readonly name?: string
  readonly active?: boolean
  readonly roleId?: string
}

/**
 * Changes a member as its provider says. Passwords are reset through the address, so a provider may change only the address
 * of an unproven account with a read-only role. Otherwise its token could take over an administrator.
 * @returns `taken` when another account has the address, `owned` when the provider may not change it
 */
export async function changeMember(
  db: Db,
  member: Member,
  { email, name, active, roleId }: ProvisionedChanges,
): Promise<'done' | 'taken' | 'owned'> {
  const inSystem = { inSystem: db }
  if (email !== undefined && email !== member.email) {
    if (await isOwned(db, member.id)) return 'owned'
    if (await isKnownElsewhere(inSystem, member.id, member.membershipId)) return 'owned'
    if (allowsChanges(await permissionsOf(db, member.roleId))) return 'owned'
    const taken = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
    if (taken !== undefined) return 'taken'
    await db.updateTable('users').set({ email, emailVerifiedAt: null }).where('id', '=', member.id).execute()
  }
  if (name !== undefined && name !== member.name) await rename(db, inSystem, member, name)
  if (roleId !== undefined && roleId !== member.roleId) {
    await changeOrganizationMember(db, member.membershipId, { roleId })
  }
  if (active === false && member.status !== 'disabled') await disable(db, inSystem, member)
  if (active === true && member.status === 'disabled') await enable(db, member)
  return 'done'
}

/** Removes the member from the organization. The account and its history stay. */
export const removeProvisioned = (db: Db, member: Member): Promise<void> => removeMember(db, { inSystem: db }, member)
