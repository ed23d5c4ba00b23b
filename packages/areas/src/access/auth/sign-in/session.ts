import { asSystem } from '@muster/db/database.ts'
import { denied, notFound, unauthenticated } from '@muster/kit/errors.ts'
import { originOf } from '@muster/kit/network/addresses.ts'
import { sql } from 'kysely'
import { callersOf } from '../../../caller-cache.ts'
import { type Call, implement } from '../../../operation.ts'
import { challenge } from '../factors/mfa-challenge.ts'
import { limitsOf } from '../limits.ts'
import { passwordsOf } from '../passwords/passwords.ts'
import {
  type Account,
  findAccount,
  findAccountByEmail,
  hasSecondFactor,
  isValidIn,
} from '../sessions/accounts.queries.ts'
import { type Membership, membershipIn, membershipsOf } from '../sessions/memberships.queries.ts'
import { exchangeRefreshToken, revokeSession, revokeSessions } from '../sessions/sessions.queries.ts'
import { requireMembershipWithoutSso, requiresSso } from './enforced-sso.ts'
import { session as contract, type MfaChallenge, type Tokens } from './session.contract.ts'
import {
  accessibleMemberships,
  answerWithTokens,
  clearRefreshCookie,
  completeSignIn,
  givesAccess,
  noMembership,
  refreshCookie,
  refusedSignIn,
} from './sign-in.ts'

const unknownUserId = '00000000-0000-0000-0000-000000000000'

export default implement(contract, {
  async login(call) {
    return passwordsOf(call.services).withinCapacity(() => login(call))
  },

  async refresh(call) {
    const { services, request } = call
    const origin = originOf(request.ip)
    const token = presentedToken(call)
    await limitsOf(services).take('refreshPerAddress', origin)
    const exchanged = await call.write(async (db) => {
      const now = services.clock.now()
      const result = await exchangeRefreshToken(db, services.keyring, token, request, now)
      if (result.outcome === 'unknown') return null
      const { session } = result
      const account = await findAccount(db, session.userId, session)
      const { scope, partnerId, orgId } = session
      const membership =
        scope === null ? undefined : await membershipIn(db, session.userId, { scope, partnerId, orgId })
      if (result.outcome === 'reused') {
        recordReuse(call, session.id, account, membership)
        return 'ended'
      }
      if (account?.status !== 'active') return null
      if (!givesAccess(account, membership, session.providerId)) {
        return { account, membership: membership ?? noMembership, session, refreshToken: result.refreshToken }
      }
      if (membership === undefined) return null
      // Single sign-on was enforced after the sign-in. A session without a provider is no longer renewed.
      if (membership.ssoEnforced && session.providerId === null) return null
      return { account, membership, session, refreshToken: result.refreshToken }
    })
    if (exchanged === null || exchanged === 'ended') {
      clearRefreshCookie(call)
      // An unknown token changed nothing, so the caches of other processes stay valid.
      if (exchanged === 'ended') await callersOf(services).clear()
      throw unauthenticated('Invalid or expired refresh token')
    }
    await limitsOf(services).giveBack('refreshPerAddress', origin)
    const { account, membership, session, refreshToken } = exchanged
    const { mfa, providerMfa: vouched, providerId } = session
    return answerWithTokens(
      call,
      { account, membership, mfa, vouched, providerId },
      { sessionId: session.id, refreshToken },
    )
  },

  async logout(call) {
    const { caller, input, audit, afterCommit, services } = call
    await call.write(async (db) => {
      const ended =
        input.everywhere || caller.sessionId === null
          ? await revokeSessions(db, caller.userId)
          : await revokeSession(db, caller.userId, caller.sessionId)
      audit({ target: caller.userId, name: caller.email, details: { sessions: ended } })
    })
    clearRefreshCookie(call)
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },

  async me({ caller, db }) {
    const found = await db
      .selectFrom('users')
      .select(['id', 'email', 'name', 'avatarUrl', 'status', 'emailVerifiedAt', 'mfaEnabled', 'mfaMethod'])
      .select(['mfaRecoveryCodes', 'phoneNumber', 'phoneVerified', 'lastLoginAt', 'passwordChangedAt', 'createdAt'])
      .select(isValidIn(sql`users.factors_provider_id`, caller).as('factorsCount'))
      .select((eb) =>
        eb
          .selectFrom('passkeys')
          .select(eb.fn.countAll<number>().as('n'))
          .whereRef('passkeys.userId', '=', 'users.id')
          .where(isValidIn(sql`passkeys.provider_id`, caller))
          .as('passkeys'),
      )
      .where('id', '=', caller.userId)
      .executeTakeFirst()
    if (found === undefined) throw notFound('User')
    const { factorsCount, ...user } = found
    const { scope, partnerId, orgId, orgAccess, roleId } = caller
    return {
      ...user,
      emailVerified: user.emailVerifiedAt !== null,
      ...(factorsCount ? {} : { mfaEnabled: false, mfaMethod: null, phoneNumber: null, phoneVerified: false }),
      recoveryCodesLeft: factorsCount ? user.mfaRecoveryCodes.length : 0,
      passkeys: user.passkeys ?? 0,
      mfaEnrollmentRequired: caller.mfaOwed !== null,
      scope,
      partnerId,
      orgId,
      orgAccess,
      accessibleOrgIds: caller.accessibleOrgIds === null ? null : [...caller.accessibleOrgIds],
      roleId,
      permissions: [...caller.permissions],
    }
  },
})

async function login(call: Call<{ email: string; password: string }>): Promise<Tokens | MfaChallenge> {
  const { services, input } = call
  const email = input.email.toLowerCase()
  const limited = await limitLogins(call, email)
  // Run the same statements and one hash whether or not the account exists.
  const { account, memberships } = await asSystem(services.system, async (db) => {
    const account = await findAccountByEmail(db, email)
    return { account, memberships: await membershipsOf(db, account?.id ?? unknownUserId) }
  })
  const matches = await passwordsOf(services).verify(account?.passwordHash ?? null, input.password)
  if (account === undefined || !matches || account.status !== 'active') {
    await recordFailure(call, account, memberships[0])
    throw refusedSignIn()
  }
  await limited.succeeded()
  // Check the proof first. The person may not own the address, so the memberships must not be revealed.
  const accessible = accessibleMemberships(account, memberships)
  if (account.emailVerifiedAt === null && accessible.length === 0) {
    return completeSignIn(call, { account, membership: noMembership, method: 'password', mfa: false })
  }
  if (requiresSso(accessible))
    await recordFailure(call, account, memberships[0], { reason: 'single sign-on is enforced' })
  const membership = requireMembershipWithoutSso(accessible)
  const { passwordHash } = account
  const outdated = passwordHash !== null && passwordsOf(services).isOutdated(passwordHash)
  if (services.settings.enable2fa && hasSecondFactor(account)) return challenge(call, account, membership)
  const changes = outdated ? { passwordHash: await passwordsOf(services).hash(input.password) } : {}
  return completeSignIn(call, { account, membership, method: 'password', mfa: false }, changes)
}

/** Takes one attempt from three limits. A successful sign-in returns it. */
async function limitLogins({ services, request }: Call, email: string) {
  const limits = limitsOf(services)
  const origin = originOf(request.ip)
  const pair = `${email} ${origin}`
  await limits.take('loginPerAddress', origin)
  await limits.take('loginPerEmail', email)
  await limits.take('loginPerEmailAndAddress', pair)
  return {
    succeeded: () =>
      Promise.all([
        limits.giveBack('loginPerAddress', origin),
        limits.giveBack('loginPerEmail', email),
        limits.reset('loginPerEmailAndAddress', pair),
      ]),
  }
}

/** Audits a failed attempt for known and unknown accounts alike, which also takes the same time. */
async function recordFailure(
  call: Call,
  account: Account | undefined,
  membership: Membership | undefined,
  details: { reason?: string } = {},
) {
  await call.write(async () => {
    call.audit({
      action: 'user.login.failed',
      result: 'failure',
      target: account?.id ?? 'unknown',
      name: account?.email ?? null,
      partnerId: membership?.partnerId ?? null,
      orgId: membership?.orgId ?? null,
      details,
    })
  })
}

function recordReuse(
  { audit }: Call,
  sessionId: string,
  account: Account | undefined,
  membership: Membership | undefined,
) {
  audit({
    result: 'denied',
    target: sessionId,
    name: account?.email ?? null,
    partnerId: membership?.partnerId ?? null,
    orgId: membership?.orgId ?? null,
    details: { reason: 'a used refresh token was presented again; the session was ended' },
  })
}

/** The refresh token from the body, or from the cookie when a page of Muster sent the request. */
function presentedToken({ request, input, services }: Call<{ refreshToken?: string }>): string {
  if (input.refreshToken !== undefined) return input.refreshToken
  const token = request.cookie(refreshCookie)
  if (token === undefined || token === '') throw unauthenticated('No refresh token')
  // Another site can make a browser send the cookie, but it cannot set this header or hide its origin.
  if (!request.header('x-service-csrf')) throw denied('The header x-service-csrf is required')
  if (!isOwnPage(request.header('origin'), request.header('host'), services.settings.publicUrl)) {
    throw denied('Requests from other sites are not accepted')
  }
  const site = request.header('sec-fetch-site')
  if (site === 'cross-site') throw denied('Requests from other sites are not accepted')
  return token
}

function isOwnPage(origin: string | undefined, host: string | undefined, publicUrl: string): boolean {
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  return origin === new URL(publicUrl).origin || new URL(origin).host === host
}
