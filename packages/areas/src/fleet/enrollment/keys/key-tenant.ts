import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { findOrganization, requireWorking } from '../../../tenancy/tenancy/index.ts'

/** The organisation, when the caller may let agents into it, and its site, when one is named. @returns the partner's id */
export async function tenantForKey(
  db: Db,
  caller: Caller,
  { orgId, siteId }: { orgId: string; siteId: string | null },
) {
  if (caller.deviceGroupIds !== null) throw denied('You are limited to device groups and cannot let devices in')
  const organization = await findOrganization(db, caller, orgId)
  if (organization === undefined) throw notFound('Organization')
  requireWorking(organization)
  if (siteId === null && caller.siteIds !== null) throw denied('You are limited to sites: name one of them as siteId')
  if (siteId !== null && !(await isSiteInReach(db, caller, orgId, siteId))) throw notFound('Site')
  return organization.partnerId
}

async function isSiteInReach(db: Db, caller: Caller, orgId: string, siteId: string): Promise<boolean> {
  if (caller.siteIds !== null && !caller.siteIds.includes(siteId)) return false
  const site = await db
    .selectFrom('sites')
    .select('id')
    .where('id', '=', siteId)
    .where('orgId', '=', orgId)
    .executeTakeFirst()
  return site !== undefined
}
