// The functions of partners, organizations and sites that other areas may use.
export { claimDevices } from './caps.ts'
export { type Location, requireLocation } from './location.ts'
export {
  findOrganization,
  isWorking,
  requireOrganizationsInReach,
  requireWorking,
} from './organizations/organizations.queries.ts'
export { activatePartner, addPendingPartner, setSecondPerson } from './partners/partner-changes.ts'
export {
  isLimited,
  ofPartner,
  type Reach,
  type ReachShape,
  type ReachValues,
  reachesNothing,
  reachesWholePartner,
  reachFrom,
  reachShape,
  reachValues,
  requireOwner,
  requireUnlimited,
  requireWholeOrganization,
  requireWholeOwner,
  within,
  withinOrOfPartner,
} from './reach.ts'
export {
  ofTenant,
  requireWorkingOrganization,
  requireWorkingTenant,
  type Tenant,
  type TenantInput,
  tenantOf,
} from './tenant.ts'
