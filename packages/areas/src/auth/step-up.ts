import { readAsSystem } from '@muster/db/database.ts'
import { AppError, denied, unauthenticated } from '@muster/kit/errors.ts'
import type { Call } from '../operation.ts'
import { type Account, findAccount, hasSecondFactor } from './accounts.queries.ts'
import { membershipsOf } from './memberships.queries.ts'

/** How long a sign-in is good for changes to the ways of signing in. */
const recentMs = 30 * 60_000

const isRecent = ({ clock }: Call['services'], at: string) => clock.now() - Date.parse(at) <= recentMs

/** The same as `requireRecentSignIn` for whoever does not need the account: mostly the caller tells enough. */
export async function requireRecentlyConfirmed(
  call: Call,
  confirmation: { readonly currentPassword?: string | undefined },
): Promise<void> {
  const { confirmedAt = null } = call.caller
  if (confirmedAt === null || !isRecent(call.services, confirmedAt)) await requireRecentSignIn(call, confirmation)
}

/**
 * What protects an account is not changed with a token that somebody found: it takes a sign-in of the last half hour or the
 * current password, and the second factor where there is one.
 * @returns the account
 */
export async function requireRecentSignIn(
  { services, caller }: Call,
  confirmation: { readonly currentPassword?: string | undefined },
): Promise<Account> {
  const isProvided = (caller.providerId ?? null) !== null
  const [account, session, memberships] = await readAsSystem(services.system, (db) =>
    Promise.all([
      findAccount(db, caller.userId),
      db.selectFrom('sessions').select('authenticatedAt').where('id', '=', caller.sessionId).executeTakeFirst(),
      isProvided ? membershipsOf(db, caller.userId) : [],
    ]),
  )
  if (account === undefined || session === undefined) throw unauthenticated('Invalid or expired token')
  // Whoever runs a provider could open this session in the person's name: what guards an account that others rely on too
  // is not within its reach.
  if (isProvided && memberships.some(({ orgId }) => orgId !== caller.orgId)) {
    throw denied('This account belongs to other organizations as well. Sign in without single sign-on to change this')
  }
  // What the account is protected with is not changed by a session that never showed it.
  if (services.settings.enable2fa && hasSecondFactor(account) && !caller.mfa) {
    throw new AppError('FORBIDDEN', 'Verify your second factor first')
  }
  if (isRecent(services, session.authenticatedAt)) return account
  if (confirmation.currentPassword === undefined) throw confirmFirst()
  await services.limits.take('passwordPerUser', caller.userId)
  if (!(await services.passwords.verify(account.passwordHash, confirmation.currentPassword))) {
    throw new AppError('FORBIDDEN', 'The current password is wrong')
  }
  await services.limits.reset('passwordPerUser', caller.userId)
  return account
}

const confirmFirst = () =>
  new AppError('FORBIDDEN', 'Confirm with your current password, or sign in again', { confirm: 'currentPassword' })
