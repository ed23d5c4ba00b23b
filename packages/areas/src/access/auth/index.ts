// What other areas may use of signing in.

export { isWithin, originOf } from '@muster/kit/addresses.ts'
export { findAccount, findAccountByEmail, hasSecondFactor } from './accounts.queries.ts'
export { clearFactors } from './clear-factors.ts'
export { dropCredentials, proveMailbox } from './first-proof.ts'
export { accessibleOrgs, membershipIn, membershipsOf, permissionsOfRole } from './memberships.queries.ts'
export { challenge } from './mfa-challenge.ts'
export { notice } from './notices.ts'
export { handResetLink, mailResetLink } from './reset-link.ts'
export { revokeSessions, revokeSessionsIn } from './sessions.queries.ts'
export { completeSignIn, opensPlace, owesMfa } from './sign-in.ts'
export { requireStrongPassword } from './strength.ts'
export { opaqueToken } from './tokens.ts'
