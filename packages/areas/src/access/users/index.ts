// What other areas may use of users.
export { removeMember } from './accounts.ts'
export { requireNotGreaterMember } from './greater-members.ts'
export { type Member, memberOfMembership, memberOfOrganization } from './members.queries.ts'
export { acceptByProvider, addMember, changeMember, provisionMember, takeOut } from './provisioning.ts'
