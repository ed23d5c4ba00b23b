import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from './keyring.ts'

const macBytes = 16

const macOf = (keyring: Keyring, binding: string, payload: string): Buffer =>
  createHmac('sha256', keyring.pepper).update(`cursor\0${binding}\0${payload}`).digest().subarray(0, macBytes)

/**
 * Encrypts the position of a list's last row into a cursor that only this service can create.
 * @param binding everything that the position depends on: the list, its order and filters, the caller
 */
export function sealCursor(keyring: Keyring, binding: string, position: readonly string[]): string {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url')
  return `${payload}.${macOf(keyring, binding, payload).toString('base64url')}`
}

/** The decrypted position; null for a text that was not created with this binding. */
export function openCursor(keyring: Keyring, binding: string, cursor: string): string[] | null {
  const [payload = '', given = '', ...more] = cursor.split('.')
  const mac = Buffer.from(given, 'base64url')
  if (more.length > 0 || mac.length !== macBytes || !timingSafeEqual(mac, macOf(keyring, binding, payload))) return null
  const position: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return Array.isArray(position) && position.every((part) => typeof part === 'string') ? position : null
}
