// The functions of memberships that other areas may use.
export {
  acceptMembership,
  addOrganizationMember,
  addPartnerMember,
  changeMembership,
  changeOrganizationMember,
  changePartnerMember,
  enableMembership,
  recordPromotion,
  removeGroupFromMembers,
  removeMembership,
} from './memberships.ts'
