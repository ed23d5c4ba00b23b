import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type AppError, denied, notFound } from '@muster/kit/errors.ts'
import { findOrganization, type OrganizationRef, requireWorking } from './organizations/organizations.queries.ts'

/** An organization, and one of its sites or none. */
export interface Location {
  readonly orgId: string
  readonly siteId: string | null
}

interface Refusals {
  /** The site is not one of those that the caller is limited to. */
  readonly outOfReach?: AppError
  /** The organization has no such site. */
  readonly unknown?: AppError
}

/**
 * The location, when the caller may put something there.
 * @returns its organization
 * @throws NOT_FOUND when the organization is out of reach or has no such site; FORBIDDEN when it is suspended or churned,
 * and for members limited to other sites
 */
export async function requireLocation(
  db: Db,
  caller: Caller,
  { orgId, siteId }: Location,
  { outOfReach = denied('Access to this site denied'), unknown = notFound('Site') }: Refusals = {},
): Promise<OrganizationRef> {
  const organization = await findOrganization(db, caller, orgId)
  if (organization === undefined) throw notFound('Organization')
  requireWorking(organization)
  if (siteId === null) {
    if (caller.siteIds !== null) throw denied('You are limited to sites: name one of them as siteId')
    return organization
  }
  if (caller.siteIds !== null && !caller.siteIds.includes(siteId)) throw outOfReach
  const site = await db
    .selectFrom('sites')
    .select('id')
    .where('id', '=', siteId)
    .where('orgId', '=', orgId)
    .executeTakeFirst()
  if (site === undefined) throw unknown
  return organization
}
