import type { Db } from '@muster/db/database.ts'
import { invalid, notFound } from '@muster/kit/errors.ts'
import type { Tenant } from '../../tenancy/tenancy/index.ts'

export interface ReachInput {
  readonly orgAccess?: 'all' | 'selected' | 'none' | undefined
  readonly orgIds?: readonly string[] | undefined
  readonly siteIds?: readonly string[] | null | undefined
  readonly deviceGroupIds?: readonly string[] | null | undefined
}
interface PartnerReach {
  readonly orgAccess: 'all' | 'selected' | 'none'
  readonly orgIds: string[]
}
interface OrganizationReach {
  readonly siteIds: string[] | null
  readonly deviceGroupIds: string[] | null
}

/** Whether the input changes the reach. */
export const saysReach = ({ orgAccess, orgIds, siteIds, deviceGroupIds }: ReachInput): boolean =>
  orgAccess !== undefined || orgIds !== undefined || siteIds !== undefined || deviceGroupIds !== undefined

/** The validated reach of a partner member; all organizations by default. Each named organization must be a live one of the partner. */
export async function partnerReach(db: Db, tenant: Tenant, input: ReachInput): Promise<PartnerReach> {
  if (input.siteIds || input.deviceGroupIds) {
    throw invalid('siteIds: sites and device groups limit only members of organizations. Leave them out')
  }
  const orgAccess = input.orgAccess ?? (input.orgIds === undefined ? 'all' : 'selected')
  if (orgAccess !== 'selected') return { orgAccess, orgIds: [] }
  const orgIds = [...new Set(input.orgIds ?? [])]
  if (orgIds.length === 0)
    throw invalid('orgIds: is empty. Name at least one organization, or set orgAccess to all or none')
  const found = await db
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', orgIds)
    .where('partnerId', '=', tenant.partnerId)
    .where('deletedAt', 'is', null)
    .execute()
  if (found.length !== orgIds.length) throw notFound('Organization')
  return { orgAccess, orgIds }
}

/** The validated limits of an organization member; no limits by default. */
export async function organizationReach(db: Db, tenant: Tenant, input: ReachInput): Promise<OrganizationReach> {
  if (input.orgAccess !== undefined || input.orgIds !== undefined) {
    throw invalid('orgAccess: only members of partners have organizations selected. Leave orgAccess and orgIds out')
  }
  const siteIds = input.siteIds == null ? null : [...new Set(input.siteIds)]
  const deviceGroupIds = input.deviceGroupIds == null ? null : [...new Set(input.deviceGroupIds)]
  if (siteIds !== null) await requireOwned(db, 'sites', 'Site', tenant, siteIds)
  if (deviceGroupIds !== null) await requireOwned(db, 'deviceGroups', 'Device group', tenant, deviceGroupIds)
  return { siteIds, deviceGroupIds }
}

async function requireOwned(
  db: Db,
  table: 'sites' | 'deviceGroups',
  what: string,
  tenant: Tenant,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return
  const found = await db
    .selectFrom(table)
    .select('id')
    .where('id', 'in', ids)
    .where('orgId', '=', tenant.orgId ?? '')
    // The lock keeps the rows from being deleted before the membership refers to them.
    .orderBy('id')
    .forKeyShare()
    .execute()
  if (found.length !== ids.length) throw notFound(what)
}
