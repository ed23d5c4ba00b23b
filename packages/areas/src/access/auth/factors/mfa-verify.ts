// The two uses of /auth/mfa/verify: it completes a sign-in, and it takes a code of a signed-in user.

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
import type { SignedInUser } from '../sessions/signed-in-user.ts'
import { signedInUser } from '../sessions/signed-in-user.ts'
import { ssoRequired } from '../sign-in/enforced-sso.ts'
import type { Tokens } from '../sign-in/session.contract.ts'
import { completeSignIn } from '../sign-in/sign-in.ts'
import { enrolled, findPending, markMfaPassed } from './factor-enrollment.ts'
import { type Enrolled, enrolling } from './mfa.contract.ts'
import { countWrongAnswer, findChallenge, useChallenge } from './mfa-challenge.ts'
import { usePasskeyOfChallenge } from './passkey-ceremony.ts'
import { useCode } from './second-factor.ts'

const invalidToken = () => unauthenticated('Invalid or expired token')
const wrongCode = () => unauthenticated('Invalid verification code')

interface Answer {
  readonly code?: string
  readonly passkey?: { id: string }
}

/** Completes a sign-in whose password was right. */
export async function verifySignIn(call: Call, tempToken: string, answer: Answer): Promise<Tokens> {
  const { services } = call
  const { redis, keyring, system } = services
  const limits = limitsOf(services)
  const challenge = await findChallenge(redis, keyring, tempToken)
  if (challenge === null) throw invalidToken()
  await limits.take('mfaPerUser', challenge.userId)
  const { account, membership } = await asSystem(system, async (db) => ({
    account: await findAccount(db, challenge.userId, challenge),
    membership: await membershipIn(db, challenge.userId, challenge),
  }))
  if (account?.status !== 'active' || membership === undefined) throw invalidToken()
  if (account.passwordChangedAt !== challenge.passwordChangedAt) throw invalidToken()
  const { providerId } = challenge
  if (membership.ssoEnforced && providerId === null) throw ssoRequired(membership)
  const method: SignInMethod | null =
    answer.code !== undefined
      ? await useCode(services, account, answer.code, `login:${tempToken}`)
      : await usePasskeyOfChallenge(services, account, challenge, answer.passkey)
  if (method === null) {
    await countWrongAnswer(redis, keyring, tempToken)
    await recordFailure(call, account, membership)
    throw wrongCode()
  }
  if (!(await useChallenge(redis, keyring, tempToken))) throw invalidToken()
  await limits.reset('mfaPerUser', challenge.userId)
  return completeSignIn(call, { account, membership, method, mfa: true, providerId })
}

async function recordFailure(call: Call, account: Account, { partnerId, orgId }: Membership): Promise<void> {
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

/** Takes a code of a signed-in user. It confirms a pending enrollment, or else marks the session as passed. */
export async function verifyWhileSignedIn(
  call: Call,
  code: string | undefined,
  confirm: (who: SignedInUser, code: string) => Promise<{ answer: Enrolled }>,
): Promise<Enrolled> {
  const { services, request } = call
  const caller = await authenticate(services, request)
  admit(enrolling, caller)
  if (caller === null) throw unauthenticated()
  if (code === undefined) throw badRequest('code: is required')
  const who = signedInUser(caller)
  const { userId, sessionId, email, partnerId, orgId } = who
  if ((await findPending(services.redis, services.keyring, userId)) !== null) return (await confirm(who, code)).answer
  const account = await asSystem(services.system, (db) => findAccount(db, userId, who))
  if (account === undefined || !hasSecondFactor(account)) {
    throw badRequest('No enrollment is pending, or it has expired. Start again with POST /auth/mfa/setup')
  }
  await limitsOf(services).take('mfaPerUser', userId)
  const method = await useCode(services, account, code, `person:${userId}`)
  if (method === null) throw badRequest('Invalid verification code')
  await limitsOf(services).reset('mfaPerUser', userId)
  await call.write(async (db) => {
    await markMfaPassed(db, sessionId)
    const actor = { type: 'user', id: userId, email } as const
    call.audit({ action: 'auth.mfa.verify', target: userId, name: email, partnerId, orgId, details: { method }, actor })
  })
  await callersOf(services).clear()
  return enrolled(services, who, [], true)
}
