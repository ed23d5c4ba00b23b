import { createHash } from 'node:crypto'
import type { Caller } from '@muster/kit/access.ts'
import { conflict } from '@muster/kit/errors.ts'
import canonicalize from 'canonicalize'
import type { Command } from '../commands.contract.ts'
import type { Origin } from '../plans/origin.contract.ts'
import { payloadFor } from './device-payload.ts'
import type { CommandOrder } from './validate-order.ts'

/** Keys belong to the caller: the same key of another caller identifies another request. */
export const requestKeyOf = ({ userId }: Caller, key: string): string =>
  createHash('sha256').update(`${userId} ${key}`).digest('base64url')

/** A device has one command per key, so what a plan repeats after a crash is not sent twice. */
export const requestKeyOfOrigin = ({ kind, id, run = '', step, attempt }: Origin): string =>
  createHash('sha256').update(['plan', kind, id, run, step, attempt].join(' ')).digest('base64url')

/** @throws CONFLICT if the key was used for a different command */
export function requireSameRequest(found: readonly Command[], order: CommandOrder): void {
  const [first] = found
  if (first === undefined) return
  // PostgreSQL changes the order of the keys of an object.
  if (first.type === order.type && canonicalize(first.payload) === canonicalize(payloadFor(order, first.deviceId)))
    return
  throw conflict('The idempotency key was used for another request')
}
