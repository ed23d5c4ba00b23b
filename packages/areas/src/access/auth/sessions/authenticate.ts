import { type Db, readAsSystem } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import type { Request } from '@muster/kit/call.ts'
import { unauthenticated } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { callersOf } from '../../../caller-cache.ts'
import type { Services } from '../../../services.ts'
import { givesAccess, missingMfa } from '../sign-in/sign-in.ts'
import { hasSecondFactor } from './accounts.queries.ts'
import { accessibleOrgs, membershipIn, permissionsIn } from './memberships.queries.ts'
import type { Claims } from './tokens.ts'
import { accessTokensOf } from './tokens.ts'

const person = { kind: 'user', kindName: 'Sessions' } as const

/** The user of a session that has not ended. */
function userOf(db: Db, { clock }: Services, { sid, sub }: Claims) {
  const now = new Date(clock.now()).toISOString()
  return (
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.userId')
      .select(['users.id', 'users.email', 'users.emailVerifiedAt', 'users.mfaMethod'])
      .select(['sessions.mfa', 'sessions.providerId', 'sessions.authenticatedAt'])
      // Factors created in a session of a provider are valid only in sessions of that provider.
      .select(
        sql<boolean>`users.mfa_enabled AND coalesce(users.factors_provider_id = sessions.provider_id,
          users.factors_provider_id IS NULL)`.as('mfaEnabled'),
      )
      .select(
        sql<boolean>`EXISTS (SELECT FROM passkeys p WHERE p.user_id = users.id
          AND coalesce(p.provider_id = sessions.provider_id, p.provider_id IS NULL))`.as('hasPasskey'),
      )
      // Sessions of the operator have the key file as second factor. When a provider's MFA is no longer trusted, its sessions
      // lose their second factor too.
      .select(
        sql<boolean>`sessions.method = 'operator' OR sessions.provider_mfa AND EXISTS (
          SELECT FROM sso_providers p WHERE p.id = sessions.provider_id AND p.trust_mfa)`.as('vouched'),
      )
      .where('sessions.id', '=', sid)
      .where('sessions.userId', '=', sub)
      .where('sessions.revokedAt', 'is', null)
      .where('sessions.expiresAt', '>', now)
      .where('sessions.endsAt', '>', now)
      .where('users.status', '=', 'active')
      .executeTakeFirst()
  )
}

/** Reads the session, user, membership and permissions in their current state. Null when one of them is gone. */
async function callerOf(services: Services, claims: Claims): Promise<Caller | null> {
  const place = { scope: claims.scope, partnerId: claims.partner, orgId: claims.org }
  const [user, membership, permissions] = await readAsSystem(services.system, (db) =>
    Promise.all([
      userOf(db, services, claims),
      membershipIn(db, claims.sub, place),
      permissionsIn(db, claims.sub, place),
    ]),
  )
  if (user === undefined) return null
  if (!givesAccess(user, membership, user.providerId)) return unproven(user, claims)
  if (membership === undefined) return null
  const { enable2fa } = services.settings
  const isConfirmed = user.providerId === null && (user.mfa || !enable2fa || !hasSecondFactor(user))
  return {
    ...person,
    userId: user.id,
    email: user.email,
    sessionId: claims.sid,
    apiKeyId: null,
    providerId: user.providerId,
    scope: membership.scope,
    partnerId: membership.partnerId,
    orgId: membership.orgId,
    orgAccess: membership.orgAccess,
    accessibleOrgIds: accessibleOrgs(membership),
    siteIds: membership.siteIds,
    deviceGroupIds: membership.deviceGroupIds,
    roleId: membership.roleId,
    permissions,
    // From the session and not from the token: a token signed before the enrollment stays usable.
    mfa: user.mfa,
    confirmedAt: isConfirmed ? user.authenticatedAt : null,
    mfaOwed: missingMfa(enable2fa, membership, user, user.mfa, user.vouched),
    emailVerified: true,
    partnerActive: membership.scope === 'system' || membership.partnerStatus === 'active',
  }
}

/** The caller of a session with an unproven address. The session can only verify the address or end. */
function unproven({ id, email }: { id: string; email: string }, { sid, scope, partner, org }: Claims): Caller {
  return {
    ...person,
    userId: id,
    email,
    sessionId: sid,
    apiKeyId: null,
    providerId: null,
    scope,
    partnerId: partner,
    orgId: org,
    orgAccess: scope === 'partner' ? 'none' : null,
    accessibleOrgIds: [],
    siteIds: [],
    deviceGroupIds: [],
    roleId: null,
    permissions: new Set(),
    mfa: false,
    confirmedAt: null,
    mfaOwed: null,
    emailVerified: false,
    partnerActive: false,
  }
}

/**
 * Resolves the credential of a request to a caller.
 * @returns null when there is no credential
 * @throws UNAUTHENTICATED when the credential is invalid or expired
 */
export async function authenticate(services: Services, request: Request): Promise<Caller | null> {
  const header = request.header('authorization')
  if (header === undefined) return null
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1]
  if (token === undefined) throw unauthenticated('The Authorization header must be "Bearer <token>"')
  const claims = await accessTokensOf(services).verify(token)
  const key = `${claims.sub} ${claims.sid} ${claims.scope} ${claims.partner} ${claims.org}`
  const caller = await callersOf(services).sessions.resolve(key, () => callerOf(services, claims))
  if (caller === null) throw unauthenticated('Invalid or expired token')
  return caller
}
