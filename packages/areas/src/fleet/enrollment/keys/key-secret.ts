import { randomBytes } from 'node:crypto'
import { type Keyring, peppered } from '@muster/kit/secrets/keyring.ts'

const marker = 'mek_'
const prefixChars = 10

export interface KeySecret {
  /** The secret for the agent: 47 characters with 256 bits of entropy. */
  readonly key: string
  readonly keyHash: string
  /** The first characters, for recognition. */
  readonly keyPrefix: string
}

export function newKeySecret(keyring: Keyring): KeySecret {
  const key = `${marker}${randomBytes(32).toString('base64url')}`
  return { key, keyHash: peppered(keyring, key), keyPrefix: key.slice(0, prefixChars) }
}
