import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'

const ivBytes = 12
const tagBytes = 16

const bound = (context: string) => Buffer.from(`muster sealed\0${context}`)

/**
 * Encrypts a secret for the database with the newest key (AES-256-GCM). The text names its key, so keys can be rotated.
 * @param context what the secret is and whose: sealed text moved to another place does not open there
 */
export function seal(keyring: Keyring, secret: string, context: string): string {
  const [newest] = keyring.encryption
  if (newest === undefined) throw new Error('the keyring has no encryption key')
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(newest.key, 'base64url'), iv)
  cipher.setAAD(bound(context))
  const body = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${newest.id}.${body.toString('base64url')}`
}

/** @throws when the text was altered, belongs to another context, or its key is no longer in the ring */
export function unseal(keyring: Keyring, sealed: string, context: string): string {
  const dot = sealed.indexOf('.')
  const found = keyring.encryption.find(({ id }) => id === sealed.slice(0, dot))
  if (found === undefined) throw new Error('sealed with a key that is not in the keyring')
  const body = Buffer.from(sealed.slice(dot + 1), 'base64url')
  if (body.length < ivBytes + tagBytes) throw new Error('not a sealed text')
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(found.key, 'base64url'), body.subarray(0, ivBytes))
  decipher.setAAD(bound(context))
  decipher.setAuthTag(body.subarray(-tagBytes))
  return Buffer.concat([decipher.update(body.subarray(ivBytes, -tagBytes)), decipher.final()]).toString('utf8')
}

/** Was it sealed with the newest key? If not, it is sealed again at the next opportunity. */
export const isSealedWithNewest = (keyring: Keyring, sealed: string): boolean =>
  sealed.startsWith(`${keyring.encryption[0]?.id}.`)
