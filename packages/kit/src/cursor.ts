import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from './keyring.ts'

const macBytes = 16

const macOf = (keyring: Keyring, binding: string, payload: string): Buffer =>
  createHmac('sha256', keyring.pepper).update(`cursor\0${binding}\0${payload}`).digest().subarray(0, macBytes)

/**
 * Seals the position of a list's last row into a text that only this service can have made.
 * @param binding everything the position depends on: the list, its order and filters, who may use it
 */
export function sealCursor(keyring: Keyring, binding: string, position: readonly string[]): string {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url')
  return `${payload}.${macOf(keyring, binding, payload).toString('base64url')}`
}

/** The sealed position; null for anything that was not sealed with this binding. */
export function openCursor(keyring: Keyring, binding: string, cursor: string): string[] | null {
  const [payload = '', given = '', ...more] = cursor.split('.')
  const mac = Buffer.from(given, 'base64url')
  if (more.length > 0 || mac.length !== macBytes || !timingSafeEqual(mac, macOf(keyring, binding, payload))) return null
  const position: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return Array.isArray(position) && position.every((part) => typeof part === 'string') ? position : null
}
