// The fresh proof for operations with `stepUp`. With a stolen access token alone, nothing can be created that outlives it.

import { readAsSystem } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import type { AuditRecord } from '@muster/kit/call.ts'
import { AppError, denied, unauthenticated } from '@muster/kit/errors.ts'
import type { Proof, ProofField, Proved } from '@muster/kit/schema/proof.ts'
import type { Call } from '../../../operation.ts'
import type { Services } from '../../../services.ts'
import { limitsOf } from '../limits.ts'
import { passwordsOf } from '../passwords/passwords.ts'
import { type Account, findAccount, hasSecondFactor } from '../sessions/accounts.queries.ts'
import { membershipsOf } from '../sessions/memberships.queries.ts'
import { useCode } from './second-factor.ts'

/** How long a sign-in or confirmation counts as fresh. */
export const freshMs = 30 * 60_000

interface StepUpInput {
  readonly operation: { readonly id: string }
  readonly caller: Caller
  readonly proof: Proof
  /** Writes the audit record although the call is rejected. */
  note(record: AuditRecord): Promise<void>
}

/**
 * Requires that the session proved all factors of the account within the last half hour, or that the call carries the proof.
 * The proof is valid only for this call. `POST /auth/confirm` makes the session fresh again.
 * @throws FORBIDDEN with `confirm` and the missing fields; FORBIDDEN for API keys, which cannot prove anything
 */
export async function proveAgain(services: Services, input: StepUpInput): Promise<Proved> {
  const { caller, proof } = input
  const { sessionId, confirmedAt = null } = caller
  if (sessionId === null)
    throw denied(`${caller.kindName} cannot be used for this operation: it requires a signed-in user`)
  if (isFresh(services, confirmedAt)) return nothing
  const [account, session] = await readAsSystem(services.system, (db) =>
    Promise.all([
      findAccount(db, caller.userId, caller),
      db.selectFrom('sessions').select(['authenticatedAt', 'mfa']).where('id', '=', sessionId).executeTakeFirst(),
    ]),
  )
  if (account === undefined || session === undefined) throw unauthenticated('Invalid or expired token')
  const isRecent = isFresh(services, session.authenticatedAt)
  const wantsCode = services.settings.enable2fa && hasSecondFactor(account) && !(isRecent && session.mfa)
  const wanted: ProofField[] = [
    ...(isRecent ? [] : ['currentPassword' as const]),
    ...(wantsCode ? ['code' as const] : []),
  ]
  if (wanted.length === 0) return nothing
  // An account without a password can only sign in again.
  if (!isRecent && account.passwordHash === null) throw confirmFirst([], account)
  if (wanted.some((field) => proof[field] === undefined)) throw confirmFirst(wanted, account)
  return { shown: wanted, code: await checkProof(services, input, account, wanted) }
}

const nothing: Proved = { shown: [], code: null }

const isFresh = ({ clock }: Services, at: string | null) => at !== null && clock.now() - Date.parse(at) <= freshMs

/** @returns the kind of the code that was redeemed; null when none was required */
async function checkProof(
  services: Services,
  input: StepUpInput,
  account: Account,
  wanted: readonly ProofField[],
): Promise<string | null> {
  const [limits, passwords] = [limitsOf(services), passwordsOf(services)]
  const { currentPassword = '', code = '' } = input.proof
  const counted = wanted.map((field) => (field === 'code' ? ('mfaPerUser' as const) : ('passwordPerUser' as const)))
  for (const limit of counted) await limits.take(limit, account.id)
  if (wanted.includes('currentPassword') && !(await passwords.verify(account.passwordHash, currentPassword))) {
    await recordFailure(input, 'password')
    throw confirmFirst(wanted, account, 'The current password is wrong')
  }
  const used = wanted.includes('code') ? await useCode(services, account, code, `person:${account.id}`) : null
  if (wanted.includes('code') && used === null) {
    await recordFailure(input, 'second factor')
    throw confirmFirst(wanted, account, 'The code is wrong or was used before')
  }
  for (const limit of counted) await limits.reset(limit, account.id)
  return used
}

function recordFailure({ operation, caller, note }: StepUpInput, at: string): Promise<void> {
  return note({
    action: 'user.step_up.failed',
    result: 'failure',
    target: caller.userId,
    name: caller.email,
    details: { at, operation: operation.id },
  })
}

/** Names the missing fields. `confirm` is for clients that were written before there was a second field. */
function confirmFirst(wanted: readonly ProofField[], account: Account, wrong?: string): AppError {
  const what = wanted.map((field) => (field === 'code' ? 'a code of your second factor' : 'your current password'))
  const how = what.length === 0 ? 'Sign in again to do this' : `Confirm with ${what.join(' and ')}, or sign in again`
  return new AppError('FORBIDDEN', wrong ?? how, {
    confirm: 'currentPassword',
    confirmFields: [...wanted],
    codeKinds: wanted.includes('code') ? codeKinds(account) : [],
  })
}

const codeKinds = ({ mfaEnabled, mfaMethod }: Account) => [
  ...(mfaEnabled ? [mfaMethod === 'sms' ? 'sms' : 'totp'] : []),
  'recovery',
]

/**
 * The account of a session that changes its protection. The operation declares whether it needs a fresh proof.
 * @throws FORBIDDEN when an identity provider opened the session and the account is also a member elsewhere: the owner of the
 * provider could have opened the session in the user's name
 */
export async function ownAccount({ services, caller }: Pick<Call, 'services' | 'caller'>): Promise<Account> {
  const isProvided = (caller.providerId ?? null) !== null
  const [account, memberships] = await readAsSystem(services.system, (db) =>
    Promise.all([findAccount(db, caller.userId, caller), isProvided ? membershipsOf(db, caller.userId) : []]),
  )
  if (account === undefined) throw unauthenticated('Invalid or expired token')
  if (isProvided && memberships.some(({ orgId }) => orgId !== caller.orgId)) {
    throw denied('This account belongs to other organizations as well. Sign in without single sign-on to change this')
  }
  return account
}
