import type { Caller } from '@muster/kit/access.ts'
import { denied } from '@muster/kit/errors.ts'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

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
export const within =
  (caller: Reach, orgColumn: string, partnerColumn: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: one condition for the columns of any query; the two names are checked by the tests of every list
  (eb: ExpressionBuilder<any, any>): Expression<SqlBool> => {
    if (caller.scope === 'system') return eb.lit(true)
    if (caller.scope === 'organization') return eb(orgColumn, '=', caller.orgId)
    if (caller.orgAccess === 'all') return eb(partnerColumn, '=', caller.partnerId)
    return eb(orgColumn, '=', eb.fn.any(eb.val([...(caller.accessibleOrgIds ?? [])])))
  }

/** Whether the caller reaches no organization, so that a query would return nothing. */
export const reachesNothing = (caller: Caller): boolean => caller.accessibleOrgIds?.length === 0

/** Whether the caller is limited to sites or device groups of its organization. */
export const isLimited = ({ siteIds, deviceGroupIds }: Pick<Reach, 'siteIds' | 'deviceGroupIds'>): boolean =>
  siteIds !== null || deviceGroupIds !== null

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
