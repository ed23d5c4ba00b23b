// Codes for typing: ten characters of an alphabet without look-alikes, 50 bits, valid for at most a day.
import { randomInt } from 'node:crypto'
import { AppError } from '@muster/kit/errors.ts'
import { type Keyring, peppered } from '@muster/kit/secrets/keyring.ts'
import type { Limits } from '../../../access/auth/index.ts'

const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const chars = 10

/** Whether the text is a code, in any case and with dashes or spaces. */
export const isInstallCode = (text: string): boolean => new RegExp(`^[${alphabet}]{${chars}}$`).test(plain(text))

const plain = (text: string) => text.toUpperCase().replaceAll(/[\s-]/g, '')

/** The stored hash of a code. */
export const hashOfCode = (keyring: Keyring, code: string): string => peppered(keyring, `install-code ${plain(code)}`)

export function newInstallCode(): string {
  const signs = Array.from({ length: chars }, () => alphabet[randomInt(alphabet.length)])
  return `${signs.slice(0, chars / 2).join('')}-${signs.slice(chars / 2).join('')}`
}

/** Redeems a code. Unknown codes count against the address, which then has to wait. @throws RATE_LIMITED */
export async function againstGuessing<T>(limits: Limits, address: string, attempt: () => Promise<T>): Promise<T> {
  // Takes one point too many on purpose, because the error says how long to wait.
  if (await limits.isExhausted('installCodePerAddress', address)) await limits.take('installCodePerAddress', address)
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAUTHENTICATED')
      await limits.take('installCodePerAddress', address)
    throw error
  }
}
