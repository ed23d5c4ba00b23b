import { createHash } from 'node:crypto'
import type { Caller } from '@muster/kit/access.ts'
import { conflict } from '@muster/kit/errors.ts'
import canonicalize from 'canonicalize'
import type { Command } from '../commands.contract.ts'
import type { Order } from '../commands.queries.ts'

/** Keys are the caller's own: another caller's request with the same key is another request. */
export const requestKeyOf = ({ userId }: Caller, key: string): string =>
  createHash('sha256').update(`${userId} ${key}`).digest('base64url')

/** @throws CONFLICT when the commands that were found by a key are not what is asked for now */
export function requireSameRequest(found: readonly Command[], order: Order): void {
  const [first] = found
  if (first === undefined) return
  // The database keeps the keys of an object in an order of its own.
  if (first.type === order.type && canonicalize(first.payload) === canonicalize(order.payload)) return
  throw conflict('The idempotency key was used for another request')
}
