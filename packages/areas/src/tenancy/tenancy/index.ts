// What other areas may use of partners, organizations and sites.
export { claimDevices } from './caps.ts'
export { type Location, requireLocation } from './location.ts'
export {
  findOrganization,
  isWorking,
  requireOrganizationsInReach,
  requireWorking,
} from './organizations/organizations.queries.ts'
export {
  isLimited,
  type Reach,
  type ReachShape,
  type ReachValues,
  reachesNothing,
  reachFrom,
  reachShape,
  reachValues,
  requireUnlimited,
  requireWholeOrganization,
  within,
} from './reach.ts'
export {
  ofTenant,
  requireWorkingOrganization,
  requireWorkingTenant,
  type Tenant,
  type TenantInput,
  tenantOf,
} from './tenant.ts'
