// What other areas may use of signing in.
export { findAccount } from './accounts.queries.ts'
export { isWithin, originOf } from './addresses.ts'
export { membershipIn, membershipsOf, permissionsOfRole } from './memberships.queries.ts'
export { revokeSessions } from './sessions.queries.ts'
export { owesMfa } from './sign-in.ts'
export { requireStrongPassword } from './strength.ts'
export { opaqueToken } from './tokens.ts'
