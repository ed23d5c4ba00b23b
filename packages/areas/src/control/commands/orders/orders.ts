import { type Caller, hasPermission } from '@muster/kit/access.ts'
import { denied } from '@muster/kit/errors.ts'
import { inputError, plainWords } from '@muster/kit/input.ts'
import { strictSchema } from '@muster/kit/strict.ts'
import { z } from 'zod'
import { commandType } from '../command-registry.ts'
import type { QueuedCommand } from '../commands.contract.ts'
import type { Order } from '../commands.queries.ts'

export interface OrderInput {
  readonly type: QueuedCommand
  readonly payload: Record<string, unknown>
  readonly timeoutMs?: number | undefined
  readonly expiresInSeconds?: number | undefined
}

const payloads = new Map<QueuedCommand, z.ZodType<{ payload: Record<string, unknown> }>>()

/** The payload of a type under its name, made once: a schema is compiled when it is first used. */
function payloadOf(type: QueuedCommand) {
  const known = payloads.get(type)
  if (known !== undefined) return known
  const made = strictSchema(z.object({ payload: commandType(type).payload }))
  payloads.set(type, made)
  return made
}

/**
 * What the caller asks for, checked against the command's type.
 * @throws FORBIDDEN without the type's permission, VALIDATION_ERROR naming the field of the payload
 */
export function orderOf(caller: Caller, { type, payload, ...given }: OrderInput, nowMs: number): Order {
  const kind = commandType(type)
  if (!hasPermission(caller, kind.permission)) throw denied(`Permission denied: ${kind.permission} is required`)
  const parsed = payloadOf(type).safeParse({ payload }, { error: plainWords })
  if (!parsed.success) throw inputError(parsed.error)
  const expiresInSeconds = given.expiresInSeconds ?? kind.expiresInSeconds
  return {
    type,
    payload: parsed.data.payload,
    timeoutMs: given.timeoutMs ?? kind.timeoutMs,
    expiresAt: new Date(nowMs + expiresInSeconds * 1_000).toISOString(),
    createdBy: caller.userId,
  }
}
