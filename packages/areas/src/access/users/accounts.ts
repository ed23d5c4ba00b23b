// An account belongs to a person, not to a tenant. A tenant's change to a member reaches the account only when the person
// belongs to no other tenant. That check has to see all tenants, so it runs with the rights of the system.

import { randomUUID } from 'node:crypto'
import { asSystem, type Db } from '@muster/db/database.ts'
import { invariant, notFound } from '@muster/kit/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Services } from '../../services.ts'
import { revokeKeys } from '../api-keys/index.ts'
import { revokeSessions, revokeSessionsIn } from '../auth/index.ts'
import { changeMembership, enableMembership, removeMembership } from '../memberships/index.ts'
import type { Member } from './members.queries.ts'

/** Access to rows of all tenants: the system's pool, or a transaction of the system when the caller already has one. */
export type SystemAccess = Pick<Services, 'system'> | { readonly inSystem: Db }

const queryAsSystem = <T>(access: SystemAccess, query: RawBuilder<T>): Promise<readonly T[]> =>
  'inSystem' in access
    ? query.execute(access.inSystem).then(({ rows }) => rows)
    : asSystem(access.system, async (db) => (await query.execute(db)).rows)

/** Finds or creates the account of an email address. The caller must not learn which of the two happened. */
export async function accountFor(
  db: Db,
  access: SystemAccess,
  email: string,
  name: string,
): Promise<{ userId: string; isNew: boolean }> {
  const id = randomUUID()
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('users')
    .values({ id, email, name, status: 'invited' })
    .onConflict((row) => row.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 1n) return { userId: id, isNew: true }
  // The account may belong to another tenant, where row-level security hides it from the caller.
  const rows = await queryAsSystem(access, sql<{ id: string }>`SELECT id FROM users WHERE email = ${email}`)
  invariant(rows[0] !== undefined, 'the account of a taken address exists')
  return { userId: rows[0].id, isNew: false }
}

/** @returns whether the person has an active membership other than the given one */
export async function isActiveElsewhere(access: SystemAccess, userId: string, membershipId: string): Promise<boolean> {
  const [found] = await queryAsSystem(
    access,
    sql<{ elsewhere: boolean }>`
      SELECT EXISTS (SELECT FROM partner_users WHERE user_id = ${userId} AND id <> ${membershipId} AND status = 'active')
          OR EXISTS (SELECT FROM organization_users WHERE user_id = ${userId} AND id <> ${membershipId} AND status = 'active')
          OR EXISTS (SELECT FROM system_users WHERE user_id = ${userId}) AS elsewhere`,
  )
  return found?.elsewhere === true
}

/**
 * @returns whether the person has another membership, accepted or not. A pending partner does not count while the address is
 * unproven, because any person can register one with any address
 */
export async function isKnownElsewhere(access: SystemAccess, userId: string, membershipId: string): Promise<boolean> {
  const [found] = await queryAsSystem(
    access,
    sql<{ elsewhere: boolean }>`
      SELECT EXISTS (SELECT FROM partner_users m JOIN partners p ON p.id = m.partner_id JOIN users u ON u.id = m.user_id
                     WHERE m.user_id = ${userId} AND m.id <> ${membershipId}
                       AND (p.status <> 'pending' OR u.email_verified_at IS NOT NULL))
          OR EXISTS (SELECT FROM organization_users WHERE user_id = ${userId} AND id <> ${membershipId})
          OR EXISTS (SELECT FROM system_users WHERE user_id = ${userId}) AS elsewhere`,
  )
  return found?.elsewhere === true
}

/** Changes the name of the account, or only this tenant's name for the member when another tenant knows the account. */
export async function rename(db: Db, services: SystemAccess, member: Member, name: string): Promise<void> {
  const shared = await isKnownElsewhere(services, member.id, member.membershipId)
  await changeMembership(db, member, { displayName: shared ? name : null })
  if (!shared) await db.updateTable('users').set({ name }).where('id', '=', member.id).execute()
}

/** Disables the membership. Disables the account as well when the person is active in no other tenant. */
export async function disable(db: Db, services: SystemAccess, member: Member): Promise<void> {
  await changeMembership(db, member, { status: 'disabled' })
  await withdrawInvitation(db, member)
  await endSessions(db, services, member)
  if (await isActiveElsewhere(services, member.id, member.membershipId)) return
  await db.updateTable('users').set({ status: 'disabled' }).where('id', '=', member.id).execute()
}

/** Enables a disabled member. A member who never accepted the invitation becomes invited again. */
export async function enable(db: Db, member: Member): Promise<void> {
  const status = await enableMembership(db, member)
  await db
    .updateTable('users')
    .set((eb) => ({
      status: eb
        .case()
        .when('passwordHash', 'is', null)
        .then(status)
        .else('active' as const)
        .end(),
    }))
    .where('id', '=', member.id)
    .where('status', '=', 'disabled')
    .execute()
}

/** Removes the membership. The account stays. */
export async function removeMember(db: Db, services: SystemAccess, member: Member): Promise<void> {
  await endSessions(db, services, member)
  await withdrawInvitation(db, member)
  if (!(await removeMembership(db, member))) throw notFound('User')
  // A later invitation of the same person must not make these keys valid again.
  await revokeKeys(db, { userId: member.id, partnerId: member.partnerId, orgId: member.orgId })
}

/** Ends the person's sessions in this tenant, or all of them when the person is active in no other tenant. */
async function endSessions(
  db: Db,
  services: SystemAccess,
  { id, membershipId, partnerId, orgId }: Member,
): Promise<void> {
  if (await isActiveElsewhere(services, id, membershipId)) await revokeSessionsIn(db, id, { partnerId, orgId })
  else await revokeSessions(db, id)
}

async function withdrawInvitation(db: Db, { id, partnerId, orgId }: Member): Promise<void> {
  await db
    .deleteFrom('userInvitations')
    .where('userId', '=', id)
    .where('partnerId', '=', partnerId)
    .where('orgId', orgId === null ? 'is' : '=', orgId)
    .execute()
}
