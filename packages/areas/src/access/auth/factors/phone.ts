import { badRequest } from '@muster/kit/errors.ts'
import { callersOf } from '../../../caller-cache.ts'
import { implement } from '../../../operation.ts'
import { limitsOf } from '../limits.ts'
import { notice } from '../notices.ts'
import { requireMfaOn, signedInUser } from '../sessions/signed-in-user.ts'
import { smsOf } from '../sms.ts'
import { requireFactorSet } from './factor-set.ts'
import { phone as contract } from './phone.contract.ts'
import { newPhoneCode, phoneCodeSeconds, recordPhoneConfirmed, usePhoneCode } from './phone-codes.ts'
import { ownAccount } from './step-up.ts'

export default implement(contract, {
  async verify(call) {
    const { services, caller, input } = call
    requireMfaOn(services)
    const { redis, keyring } = services
    const [limits, sms] = [limitsOf(services), smsOf(services)]
    await ownAccount(call)
    await limits.take('phonePerUser', caller.userId)
    await limits.take('phonePerPhone', input.phoneNumber)
    const code = await newPhoneCode(redis, keyring, `person:${caller.userId}`, input.phoneNumber)
    await sms.send(input.phoneNumber, `${code} is your Muster code. Muster staff will never ask you for it.`)
    return { success: true as const, expiresIn: phoneCodeSeconds }
  },

  async confirm(call) {
    const { services, caller, input, audit, afterCommit } = call
    const { redis, keyring } = services
    const limits = limitsOf(services)
    const { sessionId, userId, email } = signedInUser(caller)
    await limits.take('phoneCodePerUser', userId)
    const phoneNumber = await usePhoneCode(redis, keyring, `person:${userId}`, input.code)
    if (phoneNumber === null) throw badRequest('Invalid verification code')
    await limits.reset('phoneCodePerUser', userId)
    await call.write(async (db) => {
      await requireFactorSet(db, userId, caller.providerId ?? null)
      const before = await db
        .selectFrom('users')
        .select(['id', 'email', 'name', 'phoneNumber', 'mfaEnabled', 'mfaMethod'])
        .where('id', '=', userId)
        .executeTakeFirstOrThrow()
      await db.updateTable('users').set({ phoneNumber, phoneVerified: true }).where('id', '=', userId).execute()
      audit({
        target: userId,
        name: email,
        before: { phoneNumber: before.phoneNumber },
        after: { phoneNumber },
      })
      const isFactor = before.mfaEnabled && before.mfaMethod === 'sms'
      if (isFactor && before.phoneNumber !== phoneNumber) await notice(db, services, before, caller, 'phone-changed')
    })
    await recordPhoneConfirmed(redis, sessionId, phoneNumber)
    afterCommit(() => callersOf(services).clear())
    return { success: true as const, phoneNumber }
  },
})
