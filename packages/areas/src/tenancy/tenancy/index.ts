// The functions of partners, organizations and sites that other areas may use.
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
