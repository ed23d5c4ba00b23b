import { type Caller, hasPermission } from '@muster/kit/access.ts'
import { denied } from '@muster/kit/errors.ts'
import { inputError, plainWords } from '@muster/kit/input.ts'
import { strictSchema } from '@muster/kit/strict.ts'
import { z } from 'zod'
import { commandType } from '../command-registry.ts'
import type { QueuedCommand } from '../commands.contract.ts'

/** A validated command, before it is issued to devices. */
export interface CommandOrder {
  readonly type: QueuedCommand
  readonly payload: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly expiresAt: string
  readonly createdBy: string
  readonly batchId?: string
  /** Identifies the request, so that a repeated one does nothing. */
  readonly requestKey?: string
}

export interface OrderInput {
  readonly type: QueuedCommand
  readonly payload: Record<string, unknown>
  readonly timeoutMs?: number | undefined
  readonly expiresInSeconds?: number | undefined
}

const payloads = new Map<QueuedCommand, z.ZodType<{ payload: Record<string, unknown> }>>()

/** The schema of a payload. It is made once, because a schema is compiled at its first use. */
function payloadOf(type: QueuedCommand) {
  const known = payloads.get(type)
  if (known !== undefined) return known
  const made = strictSchema(z.object({ payload: commandType(type).payload }))
  payloads.set(type, made)
  return made
}

/**
 * Validates a command against its type.
 * @throws FORBIDDEN without the permission of the type, VALIDATION_ERROR naming the field of the payload
 */
export function validateOrder(caller: Caller, { type, payload, ...given }: OrderInput, nowMs: number): CommandOrder {
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
