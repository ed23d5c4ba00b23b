// The functions of users that other areas may use.
export { removeMember } from './accounts.ts'
export { requireNotGreaterMember } from './greater-members.ts'
export { type Member, memberOfMembership, memberOfOrganization } from './members.queries.ts'
export { acceptByProvider, addMember, changeMember, provisionMember, removeProvisioned } from './provisioning.ts'
