import { type Caller, requirePermission } from '@muster/kit/access.ts'
import { inputError } from '@muster/kit/operation/input.ts'
import { plainWords } from '@muster/kit/schema/plain-words.rules.ts'
import { strictSchema } from '@muster/kit/schema/strict.ts'
import { z } from 'zod'
import { commandType } from '../command-registry.ts'
import type { QueuedCommand } from '../commands.contract.ts'
import type { Origin } from '../plans/origin.contract.ts'
import type { CommandSubject } from '../subject.contract.ts'

/** A validated command, before it is issued to devices. */
export interface CommandOrder {
  readonly type: QueuedCommand
  readonly payload: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly expiresAt: string
  readonly createdBy: string
  /** Whether an organization asks, which may use a secret of the partner only if it is shared. */
  readonly byOrganization: boolean
  readonly batchId?: string
  /** Identifies the request, so that a repeated one does nothing. */
  readonly requestKey?: string
  /** Whether a script waits for maintenance windows. */
  readonly respectMaintenance: boolean
  /** What asked for it, if not the request itself; it is signed with the script. */
  readonly origin?: { readonly kind: string; readonly id: string }
  /** The plan that sends it. Its start counted toward the blast radius, so its commands do not. */
  readonly plan?: Origin
  /** Bound to the request of a second person, and given to the area of its kind with the commands. */
  readonly subject?: CommandSubject
  /** Variables that a script gets on single devices, beside those of the payload. */
  readonly deviceEnv?: ReadonlyMap<string, Readonly<Record<string, string>>>
}

export interface OrderInput {
  readonly type: QueuedCommand
  readonly payload: Record<string, unknown>
  readonly timeoutMs?: number | undefined
  readonly expiresInSeconds?: number | undefined
  readonly respectMaintenance: boolean
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
  requirePermission(caller, kind.permission)
  const parsed = payloadOf(type).safeParse({ payload }, { error: plainWords })
  if (!parsed.success) throw inputError(parsed.error)
  const expiresInSeconds = given.expiresInSeconds ?? kind.expiresInSeconds
  return {
    type,
    payload: parsed.data.payload,
    timeoutMs: given.timeoutMs ?? kind.timeoutMs,
    expiresAt: new Date(nowMs + expiresInSeconds * 1_000).toISOString(),
    createdBy: caller.userId,
    byOrganization: caller.scope === 'organization',
    respectMaintenance: given.respectMaintenance,
  }
}
