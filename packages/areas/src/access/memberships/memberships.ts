// Every change of memberships, in partners and in organizations.
import type { Db } from '@muster/db/database.ts'
import type { Tables } from '@muster/db/tables.ts'
import { type Insertable, sql, type Updateable } from 'kysely'

export interface Membership {
  readonly membershipId: string
  /** Null for a membership in a partner. */
  readonly orgId: string | null
}

type PartnerMember = Insertable<Tables['partnerUsers']>
type OrganizationMember = Insertable<Tables['organizationUsers']>

/** @returns false when the person is a member already */
export async function addPartnerMember(db: Db, member: PartnerMember): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('partnerUsers')
    .values(member)
    .onConflict((row) => row.columns(['partnerId', 'userId']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** @returns false when the person is a member already */
export async function addOrganizationMember(db: Db, member: OrganizationMember): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('organizationUsers')
    .values(member)
    .onConflict((row) => row.columns(['orgId', 'userId']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function changePartnerMember(db: Db, id: string, changes: Updateable<Tables['partnerUsers']>) {
  await db.updateTable('partnerUsers').set(changes).where('id', '=', id).execute()
}

export async function changeOrganizationMember(db: Db, id: string, changes: Updateable<Tables['organizationUsers']>) {
  await db.updateTable('organizationUsers').set(changes).where('id', '=', id).execute()
}

type Common = Pick<Updateable<Tables['organizationUsers']>, 'status' | 'displayName'>
export const changeMembership = (db: Db, { membershipId, orgId }: Membership, changes: Common): Promise<void> =>
  orgId === null ? changePartnerMember(db, membershipId, changes) : changeOrganizationMember(db, membershipId, changes)

const tableOf = ({ orgId }: Membership) => (orgId === null ? 'partnerUsers' : 'organizationUsers')

/** Enables a disabled membership: invited again when the invitation was never accepted, else active. @returns which */
export async function enableMembership(db: Db, membership: Membership): Promise<'invited' | 'active' | 'disabled'> {
  const { status } = await db
    .updateTable(tableOf(membership))
    .set((eb) => ({
      status: eb
        .case()
        .when('acceptedAt', 'is', null)
        .then('invited' as const)
        .else('active' as const)
        .end(),
    }))
    .where('id', '=', membership.membershipId)
    .returning('status')
    .executeTakeFirstOrThrow()
  return status
}

/** @returns false when it was removed before */
export async function removeMembership(db: Db, membership: Membership): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom(tableOf(membership))
    .where('id', '=', membership.membershipId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

interface Invited {
  readonly userId: string
  readonly partnerId: string
  readonly orgId: string | null
}

/** Makes an invited membership active. */
export async function acceptMembership(
  db: Db,
  { userId, partnerId, orgId }: Invited,
  accepted: Pick<Updateable<Tables['organizationUsers']>, 'acceptedAt' | 'vouchedAt' | 'displayName'>,
): Promise<void> {
  const changes = { ...accepted, status: 'active' } as const
  const membership = { userId, status: 'invited' } as const
  if (orgId === null)
    await db
      .updateTable('partnerUsers')
      .set(changes)
      .where((eb) => eb.and({ ...membership, partnerId }))
      .execute()
  else
    await db
      .updateTable('organizationUsers')
      .set(changes)
      .where((eb) => eb.and({ ...membership, orgId }))
      .execute()
}

/** Members who are limited to a deleted group reach one group less, instead of everything. */
export async function removeGroupFromMembers(
  db: Db,
  { id, orgId }: { readonly id: string; readonly orgId: string },
): Promise<void> {
  await db
    .updateTable('organizationUsers')
    .set({ deviceGroupIds: sql`array_remove(device_group_ids, ${id}::uuid)` })
    .where('orgId', '=', orgId)
    .where(sql<boolean>`${id}::uuid = ANY (device_group_ids)`)
    .execute()
}

/** Members whose role gets more permissions count as promoted now. They are no second person for the user who did it. */
export async function recordPromotion(db: Db, roleId: string, by: string): Promise<void> {
  const heirs = sql`WITH RECURSIVE heirs AS (
      SELECT id FROM roles WHERE id = ${roleId}
      UNION SELECT r.id FROM roles r JOIN heirs h ON r.parent_role_id = h.id
    )`
  const promoted = sql`SET granted_by = ${by}, granted_at = now() WHERE role_id IN (SELECT id FROM heirs)`
  await sql`${heirs} UPDATE partner_users ${promoted}`.execute(db)
  await sql`${heirs} UPDATE organization_users ${promoted}`.execute(db)
}
