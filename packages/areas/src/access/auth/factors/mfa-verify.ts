// The two meanings of /auth/mfa/verify: the end of a sign-in, and a code given while signed in.

import { asSystem } from '@muster/db/database.ts'
import { admit } from '@muster/kit/access.ts'
import { badRequest, unauthenticated } from '@muster/kit/errors.ts'
import { callersOf } from '../../../caller-cache.ts'
import type { Call } from '../../../operation.ts'
import { limitsOf } from '../limits.ts'
import { type Account, findAccount, hasSecondFactor } from '../sessions/accounts.queries.ts'
import { authenticate } from '../sessions/authenticate.ts'
import { type Membership, membershipIn } from '../sessions/memberships.queries.ts'
import type { SignInMethod } from '../sessions/sessions.queries.ts'
import type { Who } from '../sessions/who.ts'
import { whoIs } from '../sessions/who.ts'
import { ssoRequired } from '../sign-in/enforced-sso.ts'
import type { Tokens } from '../sign-in/session.contract.ts'
import { completeSignIn } from '../sign-in/sign-in.ts'
import { enrolled, findPending, liftSession } from './factor-enrollment.ts'
import { type Enrolled, enrolling } from './mfa.contract.ts'
import { findChallenge, noteWrongAnswer, useChallenge } from './mfa-challenge.ts'
import { usePasskeyOfChallenge } from './passkey-ceremony.ts'
import { useCode } from './second-factor.ts'

const deadToken = () => unauthenticated('Invalid or expired token')
const wrongCode = () => unauthenticated('Invalid verification code')

interface Answer {
  readonly code?: string
  readonly passkey?: { id: string }
}

/** Ends a sign-in whose password was right. */
export async function verifySignIn(call: Call, tempToken: string, answer: Answer): Promise<Tokens> {
  const { services } = call
  const { redis, keyring, system } = services
  const limits = limitsOf(services)
  const challenge = await findChallenge(redis, keyring, tempToken)
  if (challenge === null) throw deadToken()
  await limits.take('mfaPerUser', challenge.userId)
  const { account, membership } = await asSystem(system, async (db) => ({
    account: await findAccount(db, challenge.userId, challenge),
    membership: await membershipIn(db, challenge.userId, challenge),
  }))
  if (account?.status !== 'active' || membership === undefined) throw deadToken()
  if (account.passwordChangedAt !== challenge.passwordChangedAt) throw deadToken()
  const { providerId } = challenge
  if (membership.ssoEnforced && providerId === null) throw ssoRequired(membership)
  const method: SignInMethod | null =
    answer.code !== undefined
      ? await useCode(services, account, answer.code, `login:${tempToken}`)
      : await usePasskeyOfChallenge(services, account, challenge, answer.passkey)
  if (method === null) {
    await noteWrongAnswer(redis, keyring, tempToken)
    await noteFailure(call, account, membership)
    throw wrongCode()
  }
  if (!(await useChallenge(redis, keyring, tempToken))) throw deadToken()
  await limits.reset('mfaPerUser', challenge.userId)
  return completeSignIn(call, { account, membership, method, mfa: true, providerId })
}

async function noteFailure(call: Call, account: Account, { partnerId, orgId }: Membership): Promise<void> {
  await call.write(async () => {
    call.audit({
      action: 'user.login.failed',
      result: 'failure',
      target: account.id,
      name: account.email,
      partnerId,
      orgId,
      details: { at: 'second factor' },
    })
  })
}

/** A code given with an access token: it confirms a pending enrolment, else it lifts the session. */
export async function verifyWhileSignedIn(
  call: Call,
  code: string | undefined,
  confirm: (who: Who, code: string) => Promise<{ answer: Enrolled }>,
): Promise<Enrolled> {
  const { services, request } = call
  const caller = await authenticate(services, request)
  admit(enrolling, caller)
  if (caller === null) throw unauthenticated()
  if (code === undefined) throw badRequest('A code is required')
  const who = whoIs(caller)
  const { userId, sessionId, email, partnerId, orgId } = who
  if ((await findPending(services.redis, services.keyring, userId)) !== null) return (await confirm(who, code)).answer
  const account = await asSystem(services.system, (db) => findAccount(db, userId, who))
  if (account === undefined || !hasSecondFactor(account)) {
    throw badRequest('No enrolment is pending, or it has expired. Begin again')
  }
  await limitsOf(services).take('mfaPerUser', userId)
  const method = await useCode(services, account, code, `person:${userId}`)
  if (method === null) throw badRequest('Invalid verification code')
  await limitsOf(services).reset('mfaPerUser', userId)
  await call.write(async (db) => {
    await liftSession(db, sessionId)
    const actor = { type: 'user', id: userId, email } as const
    call.audit({ action: 'auth.mfa.verify', target: userId, name: email, partnerId, orgId, details: { method }, actor })
  })
  await callersOf(services).clear()
  return enrolled(services, who, [], true)
}
