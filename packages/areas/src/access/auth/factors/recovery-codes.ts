import { createHmac, randomInt } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { sql } from 'kysely'

const codesPerPerson = 10
// Leaves out letters and digits that look alike on paper.
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Ten new codes of the form XXXX-XXXX. */
export const newRecoveryCodes = (): string[] => Array.from({ length: codesPerPerson }, () => `${group()}-${group()}`)

/** The canonical form of a code; null when the text cannot be one. */
export function asRecoveryCode(text: string): string | null {
  const plain = text.toUpperCase().replaceAll(/[\s-]/g, '')
  return /^[0-9A-Z]{8}$/.test(plain) ? `${plain.slice(0, 4)}-${plain.slice(4)}` : null
}

const hashed = (keyring: Keyring, userId: string, code: string) =>
  createHmac('sha256', keyring.pepper).update(`recovery code\0${userId}\0${code}`).digest('hex')

/** The hashes of the codes, as the database stores them. */
export const storedCodes = (keyring: Keyring, userId: string, codes: readonly string[]): string =>
  JSON.stringify(codes.map((code) => hashed(keyring, userId, code)))

/** Redeems a code in one statement, so that two simultaneous attempts cannot both succeed. @returns how many are left; null for a wrong code */
export async function useRecoveryCode(db: Db, keyring: Keyring, userId: string, code: string): Promise<number | null> {
  const hash = hashed(keyring, userId, code)
  const { rows } = await sql<{ left: number }>`
    UPDATE users SET mfa_recovery_codes = mfa_recovery_codes - ${hash}::text
    WHERE id = ${userId} AND jsonb_exists(mfa_recovery_codes, ${hash})
    RETURNING jsonb_array_length(mfa_recovery_codes) AS left`.execute(db)
  return rows[0]?.left ?? null
}
