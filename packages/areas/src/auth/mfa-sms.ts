import { asSystem } from '@muster/db/database.ts'
import { badRequest, denied, unauthenticated } from '@muster/kit/errors.ts'
import type { Call } from '../operation.ts'
import { findAccount } from './accounts.queries.ts'
import { membershipIn } from './memberships.queries.ts'
import { findChallenge, phoneEnding } from './mfa-challenge.ts'
import { newPhoneCode, phoneCodeSeconds } from './phone-codes.ts'

/** Sends the code that ends a sign-in to the person's own, confirmed number. */
export async function sendLoginSms({ services }: Call, tempToken: string) {
  const { redis, keyring, limits, system } = services
  const challenge = await findChallenge(redis, keyring, tempToken)
  if (challenge === null) throw unauthenticated('Invalid or expired token')
  const { account, membership } = await asSystem(system, async (db) => ({
    account: await findAccount(db, challenge.userId),
    membership: await membershipIn(db, challenge.userId, challenge),
  }))
  if (membership?.smsAllowed === false) throw denied('Your organization does not allow SMS MFA')
  if (!account?.mfaEnabled || account.mfaMethod !== 'sms' || account.phoneNumber === null || !account.phoneVerified) {
    throw badRequest('SMS is not your second factor')
  }
  await limits.take('smsLoginPerToken', tempToken)
  await limits.take('smsLoginPerPhone', account.phoneNumber)
  const code = await newPhoneCode(redis, keyring, `login:${tempToken}`, account.phoneNumber)
  await services.sms.send(
    account.phoneNumber,
    `${code} is your Muster sign-in code. Nobody from us will ask you for it.`,
  )
  return { success: true as const, phoneEnding: phoneEnding(account.phoneNumber) ?? '', expiresIn: phoneCodeSeconds }
}
