// Checks codes of a user's second factor, for all purposes.
import { asSystem } from '@muster/db/database.ts'
import { unseal } from '@muster/kit/secrets/sealed.ts'
import type { Services } from '../../../services.ts'
import type { Account } from '../sessions/accounts.queries.ts'
import type { SignInMethod } from '../sessions/sessions.queries.ts'
import { usePhoneCode } from './phone-codes.ts'
import { asRecoveryCode, useRecoveryCode } from './recovery-codes.ts'
import { claimTotpStep, totpStep } from './totp.ts'

export const totpContext = (userId: string) => `totp secret of ${userId}`

/**
 * Redeems a code of the user: of the authenticator app, of an SMS, or a recovery code.
 * @param smsAbout the purpose that an SMS code was sent for
 * @returns the kind of the code; null when it is wrong, used or expired
 */
export async function useCode(
  services: Services,
  account: Account,
  code: string,
  smsAbout: string,
): Promise<SignInMethod | null> {
  const { keyring, redis, system, clock } = services
  if (account.mfaEnabled && /^\d{6}$/.test(code)) {
    if (account.mfaMethod === 'sms') {
      return (await usePhoneCode(redis, keyring, smsAbout, code)) === account.phoneNumber ? 'sms' : null
    }
    if (account.mfaSecret === null) return null
    const step = totpStep(unseal(keyring, account.mfaSecret, totpContext(account.id)), code, clock.now())
    if (step === null) return null
    return (await asSystem(system, (db) => claimTotpStep(db, account.id, step))) ? 'totp' : null
  }
  const recoveryCode = asRecoveryCode(code)
  if (recoveryCode === null || !account.recoveryCodesCount) return null
  const left = await asSystem(system, (db) => useRecoveryCode(db, keyring, account.id, recoveryCode))
  return left === null ? null : 'recovery'
}
