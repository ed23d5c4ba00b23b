import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { toDataURL } from 'qrcode'

const stepSeconds = 30

export const newTotpSecret = (): string => generateSecret()

/** The key URI of an authenticator app, and a QR code of it. */
export async function totpEnrollment(email: string, secret: string) {
  const otpAuthUrl = generateURI({ issuer: 'Muster', label: email, secret })
  return { otpAuthUrl, qrCodeDataUrl: await toDataURL(otpAuthUrl, { margin: 1, width: 240 }) }
}

/** The time step of a code: the current or an adjacent one. Null for a wrong code. */
export function totpStep(secret: string, code: string, nowMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const step = Math.floor(nowMs / 1000 / stepSeconds)
  // Check step by step, because the tolerance of the library counts seconds.
  for (const candidate of [step, step - 1, step + 1]) {
    if (verifySync({ secret, token: code, epoch: candidate * stepSeconds, epochTolerance: 0 }).valid) return candidate
  }
  return null
}

/** Marks the time step as used. @returns false when its code or a later one was accepted before */
export async function claimTotpStep(db: Db, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ mfaLastStep: step })
    .where('id', '=', userId)
    .where(sql<boolean>`(mfa_last_step IS NULL OR mfa_last_step < ${step})`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
