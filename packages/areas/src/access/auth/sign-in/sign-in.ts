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

/** One sentence for everything that can be wrong with a sign-in, so that it tells nobody which accounts exist. */
export const refusedSignIn = () => unauthenticated('Invalid email or password')

export const refreshCookie = 'service_refresh_token'
// The console speaks tRPC and other clients REST, so the cookie goes to both doors.
const cookiePath = '/'

export function setRefreshCookie({ reply }: Pick<Call, 'reply'>, refreshToken: string): void {
  reply.cookie(refreshCookie, refreshToken, { maxAgeSeconds: refreshTokenSeconds, path: cookiePath })
}
export function clearRefreshCookie({ reply }: Pick<Call, 'reply'>): void {
  reply.cookie(refreshCookie, '', { maxAgeSeconds: 0, path: cookiePath })
}

/**
 * Which of role and organization wants a second factor that this sign-in does not have? Null when neither does.
 * @param vouched an identity provider that is trusted with it said that there was one
 */
export function owesMfa(
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
 * Does a sign-in open its place? Not before the mailbox is proven, except where the inviter handed the link over; the word
 * of an identity provider opens the organization of the provider.
 */
export const opensPlace = (
  { emailVerifiedAt }: Pick<Account, 'emailVerifiedAt'>,
  membership: Pick<Membership, 'vouched'> | undefined,
  providerId: string | null,
): boolean => emailVerifiedAt !== null || providerId !== null || membership?.vouched === true

/** The memberships that a sign-in without a provider opens. */
export const placesOpenTo = (account: Pick<Account, 'emailVerifiedAt'>, memberships: readonly Membership[]) =>
  memberships.filter((membership) => opensPlace(account, membership, null))

/** Where an account whose address is not proven signs in. Nothing is there, and nothing tells where the account belongs. */
export const nowhere: Membership = {
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
  /** Did a second factor take part? */
  readonly mfa: boolean
  /** The identity provider through which it came; the session is confined to its organisation. */
  readonly providerId?: string | null
  /** The second factor was the provider's, which is trusted with that. */
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
    emailVerificationRequired: !opensPlace(account, membership, providerId),
    mfaEnrollmentRequired: owesMfa(services.settings.enable2fa, membership, account, mfa, vouched) !== null,
    accessToken,
    refreshToken,
    expiresIn: accessTokenSeconds,
    user: { id: account.id, email: account.email, name: account.name, scope, partnerId, orgId },
  }
}

/** Is the password still the one that was read? Times leave the database cut to milliseconds. */
export const passwordUnchanged = ({ passwordChangedAt }: Pick<Account, 'passwordChangedAt'>) =>
  sql<boolean>`date_trunc('milliseconds', password_changed_at) IS NOT DISTINCT FROM ${passwordChangedAt}`

/** Serialises with switching a provider off, which ends the sessions that it opened: this one is among them, or refused. */
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
 * Opens a session for somebody who has proved who it is.
 * @param changes of the account that belong to this sign-in
 * @throws UNAUTHENTICATED when the account was disabled or its password changed since the proof began
 */
export async function completeSignIn(
  call: Call,
  proof: Proof,
  changes: { passwordHash?: string } = {},
): Promise<Tokens> {
  const { services, request, audit, after } = call
  const { account, membership, method, mfa, providerId = null, vouched = false } = proof
  const now = services.clock.now()
  const earlier = request.cookie(refreshCookie)
  const opened = await call.write(async (db) => {
    // Serialises with a password change or a removal, which touch the same row before they revoke sessions: either they
    // see this session and end it, or this statement sees them and finds nothing.
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
    // A token that somebody took from this browser ends with the session that the browser leaves.
    const replaced = earlier !== undefined && (await endSessionOf(db, services.keyring, earlier, now))
    if (replaced) after(() => callersOf(services).clear())
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
