import type { Db } from '@muster/db/database.ts'
import { unauthenticated } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { callersOf } from '../../../caller-cache.ts'
import type { Call } from '../../../operation.ts'
import { type Account, hasSecondFactor, hasStrongFactor } from '../sessions/accounts.queries.ts'
import type { Membership } from '../sessions/memberships.queries.ts'
import { endSessionOf, openSession, type SignInMethod } from '../sessions/sessions.queries.ts'
import { accessTokenSeconds, accessTokensOf, refreshTokenSeconds } from '../sessions/tokens.ts'
import type { Tokens } from './session.contract.ts'

/** The same error for all failures of a sign-in, so that it does not reveal which accounts exist. */
export const refusedSignIn = () => unauthenticated('Invalid email or password')

export const refreshCookie = 'service_refresh_token'
// The console uses tRPC and other clients use REST, so the cookie is sent to both.
const cookiePath = '/'

export function setRefreshCookie({ reply }: Pick<Call, 'reply'>, refreshToken: string): void {
  reply.cookie(refreshCookie, refreshToken, { maxAgeSeconds: refreshTokenSeconds, path: cookiePath })
}
export function clearRefreshCookie({ reply }: Pick<Call, 'reply'>): void {
  reply.cookie(refreshCookie, '', { maxAgeSeconds: 0, path: cookiePath })
}

/**
 * @param vouched a trusted identity provider confirmed a second factor
 * @returns whether the role or the organization requires a second factor that the sign-in lacks; null when neither does
 */
export function missingMfa(
  enable2fa: boolean,
  membership: Pick<Membership, 'forceMfa' | 'requireMfa'>,
  account: Pick<Account, 'mfaEnabled' | 'mfaMethod' | 'hasPasskey'>,
  passed: boolean,
  vouched = false,
): 'role' | 'organization' | null {
  if (!enable2fa || vouched) return null
  if (membership.forceMfa) return passed && hasStrongFactor(account) ? null : 'role'
  return membership.requireMfa && !(passed && hasSecondFactor(account)) ? 'organization' : null
}

/**
 * Whether a sign-in gives access to the membership. It does when the mailbox is proven, when the membership was accepted
 * through a handed link, or when an identity provider of the organization signed the user in.
 */
export const givesAccess = (
  { emailVerifiedAt }: Pick<Account, 'emailVerifiedAt'>,
  membership: Pick<Membership, 'vouched'> | undefined,
  providerId: string | null,
): boolean => emailVerifiedAt !== null || providerId !== null || membership?.vouched === true

/** The memberships that a sign-in without an identity provider gives access to. */
export const accessibleMemberships = (account: Pick<Account, 'emailVerifiedAt'>, memberships: readonly Membership[]) =>
  memberships.filter((membership) => givesAccess(account, membership, null))

/** The membership of a session with an unproven address. It gives access to nothing and reveals no real membership. */
export const noMembership: Membership = {
  scope: 'organization',
  partnerId: null,
  orgId: null,
  roleId: '',
  forceMfa: false,
  orgAccess: null,
  orgIds: null,
  siteIds: [],
  deviceGroupIds: [],
  partnerStatus: null,
  requireMfa: false,
  smsAllowed: true,
  ssoEnforced: false,
  vouched: false,
}

export interface Proof {
  readonly account: Account
  readonly membership: Membership
  readonly method: SignInMethod
  /** Whether a second factor was used. */
  readonly mfa: boolean
  /** The identity provider of the sign-in. The session is limited to the provider's organization. */
  readonly providerId?: string | null
  /** Whether a trusted identity provider checked the second factor. */
  readonly vouched?: boolean
}

/** Signs a session's access token and sets the cookie. */
export async function answerWithTokens(
  call: Pick<Call, 'services' | 'reply'>,
  proof: Pick<Proof, 'account' | 'membership' | 'mfa' | 'vouched' | 'providerId'>,
  { sessionId, refreshToken }: { sessionId: string; refreshToken: string },
): Promise<Tokens> {
  const { services } = call
  const { account, membership, mfa, vouched = false, providerId = null } = proof
  const { scope, partnerId, orgId } = membership
  const accessToken = await accessTokensOf(services).sign({
    userId: account.id,
    sessionId,
    scope,
    partnerId,
    orgId,
    mfa,
  })
  setRefreshCookie(call, refreshToken)
  return {
    mfaRequired: false,
    emailVerificationRequired: !givesAccess(account, membership, providerId),
    mfaEnrollmentRequired: missingMfa(services.settings.enable2fa, membership, account, mfa, vouched) !== null,
    accessToken,
    refreshToken,
    expiresIn: accessTokenSeconds,
    user: { id: account.id, email: account.email, name: account.name, scope, partnerId, orgId },
  }
}

/** Whether the password is still the one that was read. Times are read from the database in milliseconds. */
export const passwordUnchanged = ({ passwordChangedAt }: Pick<Account, 'passwordChangedAt'>) =>
  sql<boolean>`date_trunc('milliseconds', password_changed_at) IS NOT DISTINCT FROM ${passwordChangedAt}`

/** Locks the provider, so that turning it off at the same time either ends this session or makes this sign-in fail. */
async function requireActive(db: Db, providerId: string): Promise<void> {
  const provider = await db
    .selectFrom('ssoProviders')
    .select('id')
    .where('id', '=', providerId)
    .where('status', '=', 'active')
    .forShare()
    .executeTakeFirst()
  if (provider === undefined) throw refusedSignIn()
}

/**
 * Opens a session for a person who proved the account.
 * @param changes columns of the account to update with the sign-in
 * @throws UNAUTHENTICATED when the account was disabled or its password changed since the proof began
 */
export async function completeSignIn(
  call: Call,
  proof: Proof,
  changes: { passwordHash?: string } = {},
): Promise<Tokens> {
  const { services, request, audit, afterCommit } = call
  const { account, membership, method, mfa, providerId = null, vouched = false } = proof
  const now = services.clock.now()
  const earlier = request.cookie(refreshCookie)
  const opened = await call.write(async (db) => {
    // A password change and a removal lock the same row before they revoke sessions. Either they see this session and end it,
    // or this statement sees their change and matches no row.
    const claimed = await db
      .updateTable('users')
      .set({ lastLoginAt: new Date(now).toISOString(), ...changes })
      .where('id', '=', account.id)
      .where('status', '=', 'active')
      .where(passwordUnchanged(account))
      .returning('id')
      .executeTakeFirst()
    if (claimed === undefined) throw refusedSignIn()
    if (providerId !== null) await requireActive(db, providerId)
    const { partnerId, orgId } = membership
    // End the session that this browser had. A token stolen from the browser ends with it.
    const replaced = earlier !== undefined && (await endSessionOf(db, services.keyring, earlier, now))
    if (replaced) afterCommit(() => callersOf(services).clear())
    audit({
      action: 'user.login',
      target: account.id,
      name: account.email,
      partnerId,
      orgId,
      details: {
        method,
        mfa,
        ...(providerId === null ? {} : { providerId }),
        ...(replaced ? { replaced } : {}),
      },
      actor: { type: 'user', id: account.id, email: account.email },
    })
    const opening = { userId: account.id, membership, method, mfa, providerId, providerMfa: vouched, now }
    return openSession(db, services.keyring, request, opening)
  })
  return answerWithTokens(call, proof, opened)
}
