import { createHmac, randomInt } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import { sql } from 'kysely'

const codesPerPerson = 10
// Without the letters and digits that people mistake for each other on paper.
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Ten new codes of the form XXXX-XXXX. */
export const newRecoveryCodes = (): string[] => Array.from({ length: codesPerPerson }, () => `${group()}-${group()}`)

/** The code as it was printed, if the text can be one. */
export function asRecoveryCode(text: string): string | null {
  const plain = text.toUpperCase().replaceAll(/[\s-]/g, '')
  return /^[0-9A-Z]{8}$/.test(plain) ? `${plain.slice(0, 4)}-${plain.slice(4)}` : null
}

const hashed = (keyring: Keyring, userId: string, code: string) =>
  createHmac('sha256', keyring.pepper).update(`recovery code\0${userId}\0${code}`).digest('hex')

/** What the database keeps of the codes. */
export const storedCodes = (keyring: Keyring, userId: string, codes: readonly string[]): string =>
  JSON.stringify(codes.map((code) => hashed(keyring, userId, code)))

/** Uses a code up. One statement, so two tries at once cannot both succeed. @returns how many are left, null for a wrong code */
export async function useRecoveryCode(db: Db, keyring: Keyring, userId: string, code: string): Promise<number | null> {
  const hash = hashed(keyring, userId, code)
  const { rows } = await sql<{ left: number }>`
    UPDATE users SET mfa_recovery_codes = mfa_recovery_codes - ${hash}::text
    WHERE id = ${userId} AND jsonb_exists(mfa_recovery_codes, ${hash})
    RETURNING jsonb_array_length(mfa_recovery_codes) AS left`.execute(db)
  return rows[0]?.left ?? null
}
