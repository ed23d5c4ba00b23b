import { badRequest, conflict, denied } from '@muster/kit/errors.ts'
import { seal } from '@muster/kit/secrets/sealed.ts'
import { callersOf } from '../../../caller-cache.ts'
import { type Call, implement } from '../../../operation.ts'
import { limitsOf } from '../limits.ts'
import { notice } from '../notices.ts'
import { type Account, hasSecondFactor, hasStrongFactor } from '../sessions/accounts.queries.ts'
import { requireMfaOn, type SignedInUser, signedInAccount, signedInUser } from '../sessions/signed-in-user.ts'
import { dropPending, enrolled, findPending, pendingSeconds, storeFactor, storePending } from './factor-enrollment.ts'
import { clearFactorSet, requireFactorSet } from './factor-set.ts'
import { mfa as contract } from './mfa.contract.ts'
import { sendLoginSms, sendOwnSms } from './mfa-sms.ts'
import { verifySignIn, verifyWhileSignedIn } from './mfa-verify.ts'
import { wasPhoneJustConfirmed } from './phone-codes.ts'
import { newRecoveryCodes, storedCodes } from './recovery-codes.ts'
import { totpContext, useCode } from './second-factor.ts'
import { ownAccount } from './step-up.ts'
import { newTotpSecret, totpEnrollment, totpStep } from './totp.ts'

export const smsNotAllowed = () => denied('Your organization does not allow SMS MFA')
const wrongCode = () => badRequest('Invalid verification code')

export default implement(contract, {
  async setup(call) {
    const { services, caller } = call
    requireMfaOn(services)
    const account = await ownAccount(call)
    const pending = { secret: newTotpSecret(), recoveryCodes: newRecoveryCodes() }
    await storePending(services.redis, services.keyring, caller.userId, pending)
    return { ...pending, ...(await totpEnrollment(account.email, pending.secret)), expiresIn: pendingSeconds }
  },

  async verify(call) {
    requireMfaOn(call.services)
    const { code, passkey, tempToken } = call.input
    if (tempToken !== undefined) return verifySignIn(call, tempToken, { code, passkey })
    return verifyWhileSignedIn(call, code, (who, given) => confirmTotp(call, who, given))
  },

  async enable(call) {
    requireMfaOn(call.services)
    const { recoveryCodes, answer } = await confirmTotp(call, signedInUser(call.caller), call.input.code)
    return { ...answer, recoveryCodes }
  },

  async disable(call) {
    const { services, caller, audit, afterCommit } = call
    requireMfaOn(services)
    const { account, membership } = await signedInAccount(services, caller)
    if (membership?.requireMfa === true) throw denied('Your organization requires multi-factor authentication')
    if (!account.mfaEnabled) throw badRequest('Multi-factor authentication is not enabled')
    const used = (await call.stepUp()).code ?? (await ownCode(call, account))
    await call.write(async (db) => {
      await clearFactorSet(db, caller.userId)
      audit({ target: caller.userId, name: caller.email, details: { method: account.mfaMethod, with: used } })
      await notice(db, services, account, caller, 'mfa-disabled')
    })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },

  async recoveryCodes(call) {
    const { services, caller, audit } = call
    requireMfaOn(services)
    const account = await ownAccount(call)
    if (!hasSecondFactor(account)) throw badRequest('Multi-factor authentication is not enabled')
    const recoveryCodes = newRecoveryCodes()
    await call.write(async (db) => {
      await requireFactorSet(db, caller.userId, caller.providerId ?? null)
      await db
        .updateTable('users')
        .set({ mfaRecoveryCodes: storedCodes(services.keyring, caller.userId, recoveryCodes) })
        .where('id', '=', caller.userId)
        .execute()
      audit({ target: caller.userId, name: caller.email })
      await notice(db, services, account, caller, 'recovery-codes-replaced')
    })
    return { recoveryCodes }
  },

  async enableSms(call) {
    const { services, caller, audit, afterCommit } = call
    requireMfaOn(services)
    const account = await ownAccount(call)
    const { membership } = await signedInAccount(services, caller)
    if (membership?.smsAllowed === false) throw smsNotAllowed()
    if (!account.phoneVerified || account.phoneNumber === null) throw badRequest('Confirm your phone number first')
    if (hasStrongFactor(account)) throw conflict('A stronger second factor is enabled already')
    if (account.mfaEnabled) throw conflict('SMS codes are enabled already')
    const recoveryCodes = newRecoveryCodes()
    const who = signedInUser(caller)
    // When this session confirmed the number just now, that code was already its second factor.
    const hasPassed = await wasPhoneJustConfirmed(services.redis, who.sessionId, account.phoneNumber)
    await call.write(async (db) => {
      const factor = { mfaMethod: 'sms', mfaSecret: null, mfaLastStep: null } as const
      await storeFactor(db, services, who, factor, recoveryCodes, hasPassed)
      audit({ target: caller.userId, name: caller.email, details: { method: 'sms' } })
      await notice(db, services, account, caller, 'mfa-enabled')
    })
    afterCommit(() => callersOf(services).clear())
    return enrolled(services, who, recoveryCodes, hasPassed)
  },

  async sendSms(call) {
    requireMfaOn(call.services)
    const { tempToken } = call.input
    return tempToken === undefined ? sendOwnSms(call) : sendLoginSms(call, tempToken)
  },
})

/** Checks a code of the user. @returns the kind of the code */
async function ownCode({ services, input }: Call<{ code: string }>, account: Account): Promise<string> {
  await limitsOf(services).take('mfaPerUser', account.id)
  const used = await useCode(services, account, input.code, `person:${account.id}`)
  if (used === null) throw wrongCode()
  await limitsOf(services).reset('mfaPerUser', account.id)
  return used
}

/** Enables the pending authenticator when the code is right. */
async function confirmTotp(call: Call, who: SignedInUser, code: string) {
  const { services, audit } = call
  const { redis, keyring, clock } = services
  const limits = limitsOf(services)
  const pending = await findPending(redis, keyring, who.userId)
  if (pending === null)
    throw badRequest('No enrollment is pending, or it has expired. Start again with POST /auth/mfa/setup')
  await limits.take('mfaPerUser', who.userId)
  const step = totpStep(pending.secret, code, clock.now())
  if (step === null) throw wrongCode()
  await limits.reset('mfaPerUser', who.userId)
  const { account } = await signedInAccount(services, who)
  await call.write(async (db) => {
    const factor = {
      mfaMethod: 'totp',
      mfaSecret: seal(keyring, pending.secret, totpContext(who.userId)),
      mfaLastStep: step,
    } as const
    await storeFactor(db, services, who, factor, pending.recoveryCodes, true)
    audit({
      action: 'auth.mfa.setup',
      target: who.userId,
      name: who.email,
      partnerId: who.partnerId,
      orgId: who.orgId,
      details: { method: 'totp' },
      actor: { type: 'user', id: who.userId, email: who.email },
    })
    await notice(db, services, account, who, 'mfa-enabled')
  })
  await dropPending(redis, who.userId)
  await callersOf(services).clear()
  const { recoveryCodes } = pending
  return { recoveryCodes, answer: await enrolled(services, who, recoveryCodes, true) }
}
