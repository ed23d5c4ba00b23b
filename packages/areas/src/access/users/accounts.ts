// Accounts belong to people, not to tenants. What a tenant does to its member reaches the account only where no other
// tenant is concerned, and that question is asked beyond the caller's own reach.
import { randomUUID } from 'node:crypto'
import { asSystem, type Db } from '@muster/db/database.ts'
import { invariant, notFound } from '@muster/kit/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Services } from '../../services.ts'
import { revokeKeys } from '../api-keys/index.ts'
import { revokeSessions, revokeSessionsIn } from '../auth/index.ts'
import type { Member } from './members.queries.ts'

/** The system's pool, or the system's transaction where the caller is in one already. */
export type Beyond = Pick<Services, 'system'> | { readonly inSystem: Db }

const asked = <T>(beyond: Beyond, query: RawBuilder<T>): Promise<readonly T[]> =>
  'inSystem' in beyond
    ? query.execute(beyond.inSystem).then(({ rows }) => rows)
    : asSystem(beyond.system, async (db) => (await query.execute(db)).rows)

/** The account with this e-mail, made when there is none. Which of the two happened must not show to the caller. */
export async function accountFor(
  db: Db,
  beyond: Beyond,
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
  // The account may belong to another tenant, where the caller sees nothing.
  const rows = await asked(beyond, sql<{ id: string }>`SELECT id FROM users WHERE email = ${email}`)
  invariant(rows[0] !== undefined, 'an address that is taken belongs to an account')
  return { userId: rows[0].id, isNew: false }
}

/** Is the person an active member anywhere else? */
export async function isActiveElsewhere(beyond: Beyond, userId: string, membershipId: string): Promise<boolean> {
  const [found] = await asked(
    beyond,
    sql<{ elsewhere: boolean }>`
      SELECT EXISTS (SELECT FROM partner_users WHERE user_id = ${userId} AND id <> ${membershipId} AND status = 'active')
          OR EXISTS (SELECT FROM organization_users WHERE user_id = ${userId} AND id <> ${membershipId} AND status = 'active')
          OR EXISTS (SELECT FROM system_users WHERE user_id = ${userId}) AS elsewhere`,
  )
  return found?.elsewhere === true
}

/**
 * Is the person a member of anything else, accepted or not? A partner that waits for approval does not count while the
 * address is not proven: anyone can register one with any address.
 */
export async function isKnownElsewhere(beyond: Beyond, userId: string, membershipId: string): Promise<boolean> {
  const [found] = await asked(
    beyond,
    sql<{ elsewhere: boolean }>`
      SELECT EXISTS (SELECT FROM partner_users m JOIN partners p ON p.id = m.partner_id JOIN users u ON u.id = m.user_id
                     WHERE m.user_id = ${userId} AND m.id <> ${membershipId}
                       AND (p.status <> 'pending' OR u.email_verified_at IS NOT NULL))
          OR EXISTS (SELECT FROM organization_users WHERE user_id = ${userId} AND id <> ${membershipId})
          OR EXISTS (SELECT FROM system_users WHERE user_id = ${userId}) AS elsewhere`,
  )
  return found?.elsewhere === true
}

const membershipTable = ({ orgId }: Member) => (orgId === null ? 'partnerUsers' : 'organizationUsers')

/** Gives the member another name: the account's own where only this tenant knows it, else the tenant's name for it. */
export async function rename(db: Db, services: Beyond, member: Member, name: string): Promise<void> {
  const shared = await isKnownElsewhere(services, member.id, member.membershipId)
  await db
    .updateTable(membershipTable(member))
    .set({ displayName: shared ? name : null })
    .where('id', '=', member.membershipId)
    .execute()
  if (!shared) await db.updateTable('users').set({ name }).where('id', '=', member.id).execute()
}

/** Shuts the member out of the tenant, and the account out of everything when it is active nowhere else. */
export async function disable(db: Db, services: Beyond, member: Member): Promise<void> {
  await db
    .updateTable(membershipTable(member))
    .set({ status: 'disabled' })
    .where('id', '=', member.membershipId)
    .execute()
  await withdrawInvitation(db, member)
  await endSessions(db, services, member)
  if (await isActiveElsewhere(services, member.id, member.membershipId)) return
  await db.updateTable('users').set({ status: 'disabled' }).where('id', '=', member.id).execute()
}

/** Lets a disabled member in again; one that never accepted its invitation is invited again. */
export async function enable(db: Db, member: Member): Promise<void> {
  const membership = await db
    .updateTable(membershipTable(member))
    .set((eb) => ({
      status: eb
        .case()
        .when('acceptedAt', 'is', null)
        .then('invited' as const)
        .else('active' as const)
        .end(),
    }))
    .where('id', '=', member.membershipId)
    .returning('status')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('users')
    .set((eb) => ({
      status: eb
        .case()
        .when('passwordHash', 'is', null)
        .then(membership.status)
        .else('active' as const)
        .end(),
    }))
    .where('id', '=', member.id)
    .where('status', '=', 'disabled')
    .execute()
}

/** Takes the member out of the tenant. The account stays. */
export async function removeMember(db: Db, services: Beyond, member: Member): Promise<void> {
  await endSessions(db, services, member)
  await withdrawInvitation(db, member)
  const { numDeletedRows } = await db
    .deleteFrom(membershipTable(member))
    .where('id', '=', member.membershipId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('User')
  // They must not come back to life with another invitation.
  await revokeKeys(db, { userId: member.id, partnerId: member.partnerId, orgId: member.orgId })
}

/** Ends the sessions that have lost their ground: all of them, or those in this tenant where the person is active elsewhere. */
async function endSessions(db: Db, services: Beyond, { id, membershipId, partnerId, orgId }: Member): Promise<void> {
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
