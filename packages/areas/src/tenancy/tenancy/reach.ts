import { allOf, always, anyOf, type Condition, equals, isNull, isOneOf } from '@muster/db/conditions.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied } from '@muster/kit/errors.ts'
import { sql } from 'kysely'

declare module '@muster/kit/access.ts' {
  interface Caller {
    /** The sites and device groups that a member of an organization is limited to; null means all. */
    readonly siteIds: readonly string[] | null
    readonly deviceGroupIds: readonly string[] | null
  }
}

/** The part of a caller that limits which rows it sees. */
export type Reach = Pick<
  Caller,
  'scope' | 'partnerId' | 'orgId' | 'orgAccess' | 'accessibleOrgIds' | 'siteIds' | 'deviceGroupIds'
>

/** The part of a reach that the text of a statement depends on. */
export const reachShape = ({ scope, orgAccess, accessibleOrgIds, siteIds, deviceGroupIds }: Reach) => ({
  scope,
  orgAccess,
  orgs: accessibleOrgIds !== null,
  sites: siteIds !== null,
  groups: deviceGroupIds !== null,
})
export type ReachShape = ReturnType<typeof reachShape>

/** The part of a reach that a statement takes as parameters. */
export const reachValues = (reach: Reach) => ({
  callerPartnerId: reach.partnerId,
  callerOrgId: reach.orgId,
  callerOrgIds: reach.accessibleOrgIds ?? [],
  callerSiteIds: reach.siteIds ?? [],
  callerGroupIds: reach.deviceGroupIds ?? [],
})
export type ReachValues = ReturnType<typeof reachValues>

/** The reach of a shape and its values. */
export const reachFrom = ({ scope, orgAccess, orgs, sites, groups }: ReachShape, values: ReachValues): Reach => ({
  scope,
  orgAccess,
  partnerId: values.callerPartnerId,
  orgId: values.callerOrgId,
  accessibleOrgIds: orgs ? values.callerOrgIds : null,
  siteIds: sites ? values.callerSiteIds : null,
  deviceGroupIds: groups ? values.callerGroupIds : null,
})

/**
 * The caller's reach as a condition on a table's tenant columns, for the `where` of each query of tenant rows:
 * `.where(within(caller, 'sites.orgId', 'sites.partnerId'))`. Row-level security applies the same rule in the database.
 */
export function within(caller: Reach, orgColumn: string, partnerColumn: string): Condition {
  if (caller.scope === 'system') return always
  if (caller.scope === 'organization') return equals(orgColumn, caller.orgId)
  if (caller.orgAccess === 'all') return equals(partnerColumn, caller.partnerId)
  return isOneOf(orgColumn, caller.accessibleOrgIds ?? [])
}

/** Rows of organizations within reach, and those of the whole partner, which have no organization. */
export const withinOrOfPartner = (caller: Reach, orgColumn: string, partnerColumn: string): Condition =>
  caller.scope === 'system'
    ? always
    : anyOf(
        allOf(sql`${sql.ref(orgColumn)} IS NOT NULL`, within(caller, orgColumn, partnerColumn)),
        ofPartner(caller, orgColumn, partnerColumn),
      )

/** Rows of the caller's whole partner. */
export const ofPartner = (caller: Reach, orgColumn: string, partnerColumn: string): Condition =>
  allOf(isNull(orgColumn), caller.scope === 'system' ? always : equals(partnerColumn, caller.partnerId))

/** Whether the caller reaches no organization, so that a query would return nothing. */
export const reachesNothing = (caller: Caller): boolean => caller.accessibleOrgIds?.length === 0

/** Whether the caller is limited to sites or device groups of its organization. */
export const isLimited = ({ siteIds, deviceGroupIds }: Pick<Reach, 'siteIds' | 'deviceGroupIds'>): boolean =>
  siteIds !== null || deviceGroupIds !== null

/** Whether the caller reaches every organization of its partner, with all their sites and groups. */
export const reachesWholePartner = (caller: Reach): boolean =>
  caller.scope === 'system' || (caller.scope === 'partner' && caller.orgAccess === 'all' && !isLimited(caller))

/**
 * For operations on a whole organization, including rows without a device.
 * @throws FORBIDDEN for members limited to sites or device groups
 */
export function requireWholeOrganization(caller: Caller): void {
  if (isLimited(caller)) {
    throw denied('Full organization access required: your membership is limited to sites or device groups')
  }
}

/**
 * For operations that grant access or affect the whole tenant: members, roles, identity providers, reviews.
 * @throws FORBIDDEN for partner users without access to all organizations, and for members limited to sites or groups
 */
export function requireUnlimited(caller: Caller): void {
  if (caller.scope === 'partner' && caller.orgAccess !== 'all') {
    throw denied('Full partner organization access required')
  }
  requireWholeOrganization(caller)
}

/**
 * For changes of a row that belongs to an organization or to the whole partner. `what` names it in the error.
 * @throws FORBIDDEN for rows of the partner, except for partner users with access to all organizations
 */
export function requireOwner(caller: Caller, { orgId }: { readonly orgId: string | null }, what: string): void {
  if (orgId !== null) return
  if (caller.scope === 'organization') throw denied(`The ${what} belongs to the partner`)
  requireUnlimited(caller)
}

/**
 * Like `requireOwner`, for rows that concern the whole organization.
 * @throws FORBIDDEN also for members limited to sites or device groups
 */
export function requireWholeOwner(caller: Caller, row: { readonly orgId: string | null }, what: string): void {
  requireWholeOrganization(caller)
  requireOwner(caller, row, what)
}
