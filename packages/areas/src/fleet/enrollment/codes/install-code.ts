// Codes that a person can type: ten characters of an alphabet without look-alikes, fifty bits, good for a day at most.
import { randomInt } from 'node:crypto'
import { AppError } from '@muster/kit/errors.ts'
import { type Keyring, peppered } from '@muster/kit/keyring.ts'
import type { Limits } from '../../../access/auth/index.ts'

const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const chars = 10

/** Is it a code, as somebody typed it: in any case, with dashes or spaces between? */
export const isInstallCode = (text: string): boolean => new RegExp(`^[${alphabet}]{${chars}}$`).test(plain(text))

const plain = (text: string) => text.toUpperCase().replaceAll(/[\s-]/g, '')

/** What is kept of a code. */
export const hashOfCode = (keyring: Keyring, code: string): string => peppered(keyring, `install-code ${plain(code)}`)

export function newInstallCode(): string {
  const signs = Array.from({ length: chars }, () => alphabet[randomInt(alphabet.length)])
  return `${signs.slice(0, chars / 2).join('')}-${signs.slice(chars / 2).join('')}`
}

/** Tries a code. Codes that nobody made count against the address; after some of them it has to wait. @throws RATE_LIMITED */
export async function againstGuessing<T>(limits: Limits, address: string, attempt: () => Promise<T>): Promise<T> {
  // One more than there are left: the refusal says for how long.
  if (await limits.isExhausted('installCodePerAddress', address)) await limits.take('installCodePerAddress', address)
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAUTHENTICATED')
      await limits.take('installCodePerAddress', address)
    throw error
  }
}
