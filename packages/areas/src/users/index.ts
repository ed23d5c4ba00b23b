// What other areas may use of users.
export { removeMember } from './accounts.ts'
export { memberOfMembership } from './members.queries.ts'
