// Caps hold under concurrency, because each addition first locks the row with the cap.
import type { Db } from '@muster/db/database.ts'
import { conflict, notFound } from '@muster/kit/errors.ts'

/** Checks that the partner may have one more organization. Locks out other additions until the transaction ends. */
export async function claimOrganization(db: Db, partnerId: string): Promise<void> {
  const partner = await db
    .selectFrom('partners')
    .select(['plan', 'maxOrganizations'])
    .where('id', '=', partnerId)
    .where('deletedAt', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (partner === undefined) throw notFound('Partner')
  const { plan, maxOrganizations } = partner
  if (plan === 'unlimited' || maxOrganizations === null) return
  const { count } = await db
    .selectFrom('organizations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('partnerId', '=', partnerId)
    .where('deletedAt', 'is', null)
    .executeTakeFirstOrThrow()
  if (count >= maxOrganizations) {
    throw conflict(
      `This partner has ${count} of at most ${maxOrganizations} organizations. Raise maxOrganizations or delete an organization`,
    )
  }
}

/**
 * Checks that an organization and its partner may have more devices. Where there is a cap, locks out other additions until the
 * transaction ends. Decommissioned devices do not count.
 */
export async function claimDevices(db: Db, tenant: { partnerId: string; orgId: string }, added = 1): Promise<void> {
  const partner = await db
    .selectFrom('partners')
    .select(['plan', 'maxDevices'])
    .where('id', '=', tenant.partnerId)
    .executeTakeFirstOrThrow()
  if (partner.plan === 'unlimited') return
  const inPartner = { column: 'partnerId', id: tenant.partnerId, what: 'partner' } as const
  const inOrganization = { column: 'orgId', id: tenant.orgId, what: 'organization' } as const
  if (partner.maxDevices !== null) await claimWithin(db, inPartner, added)
  const { maxDevices } = await db
    .selectFrom('organizations')
    .select('maxDevices')
    .where('id', '=', tenant.orgId)
    .executeTakeFirstOrThrow()
  if (maxDevices !== null) await claimWithin(db, inOrganization, added)
}

async function claimWithin(
  db: Db,
  { column, id, what }: { column: 'partnerId' | 'orgId'; id: string; what: 'partner' | 'organization' },
  added: number,
): Promise<void> {
  const { maxDevices } = await db
    .selectFrom(what === 'partner' ? 'partners' : 'organizations')
    .select('maxDevices')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { count } = await db
    .selectFrom('devices')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(column, '=', id)
    .where('lifecycle', '<>', 'decommissioned')
    .executeTakeFirstOrThrow()
  if (maxDevices !== null && count + added > maxDevices) {
    throw conflict(
      `This ${what} has ${count} of at most ${maxDevices} devices. Raise maxDevices or decommission a device`,
    )
  }
}
