import { asSystem } from '@muster/db/database.ts'
import { admit } from '@muster/kit/access.ts'
import { badRequest, denied, unauthenticated } from '@muster/kit/errors.ts'
import type { Call } from '../../../operation.ts'
import type { Services } from '../../../services.ts'
import { limitsOf } from '../limits.ts'
import { findAccount } from '../sessions/accounts.queries.ts'
import { authenticate } from '../sessions/authenticate.ts'
import { membershipIn, type TenantScope } from '../sessions/memberships.queries.ts'
import { smsOf } from '../sms.ts'
import { enrolling } from './mfa.contract.ts'
import { findChallenge, phoneEnding } from './mfa-challenge.ts'
import { newPhoneCode, phoneCodeSeconds } from './phone-codes.ts'

/** Sends the code for a sign-in to the user's confirmed number. */
export async function sendLoginSms({ services }: Call, tempToken: string) {
  const challenge = await findChallenge(services.redis, services.keyring, tempToken)
  if (challenge === null) throw unauthenticated('Invalid or expired token')
  const phoneNumber = await confirmedNumber(services, challenge)
  await limitsOf(services).take('smsLoginPerToken', tempToken)
  return send(services, phoneNumber, `login:${tempToken}`, 'sign-in code')
}

/** Sends a code to the signed-in user, for a fresh proof. */
export async function sendOwnSms({ services, request }: Call) {
  const caller = await authenticate(services, request)
  admit(enrolling, caller)
  if (caller === null) throw unauthenticated()
  return send(services, await confirmedNumber(services, caller), `person:${caller.userId}`, 'code')
}

async function confirmedNumber(
  services: Services,
  who: TenantScope & { readonly userId: string; readonly providerId?: string | null },
): Promise<string> {
  const { account, membership } = await asSystem(services.system, async (db) => ({
    account: await findAccount(db, who.userId, who),
    membership: await membershipIn(db, who.userId, who),
  }))
  if (membership?.smsAllowed === false) throw denied('Your organization does not allow SMS MFA')
  if (!account?.mfaEnabled || account.mfaMethod !== 'sms' || account.phoneNumber === null || !account.phoneVerified) {
    throw badRequest('SMS is not your second factor. Use your authenticator app, a passkey or a recovery code')
  }
  return account.phoneNumber
}

async function send(services: Services, phoneNumber: string, about: string, what: string) {
  const { redis, keyring } = services
  const [limits, sms] = [limitsOf(services), smsOf(services)]
  await limits.take('smsLoginPerPhone', phoneNumber)
  const code = await newPhoneCode(redis, keyring, about, phoneNumber)
  await sms.send(phoneNumber, `${code} is your Muster ${what}. Muster staff will never ask you for it.`)
  return { success: true as const, phoneEnding: phoneEnding(phoneNumber) ?? '', expiresIn: phoneCodeSeconds }
}
