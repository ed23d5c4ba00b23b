// Interactive commands: validated by the registry, sent to the connected device, and answered in the terms of the API.

import { asCaller } from '@muster/db/database.ts'
import { requirePermission } from '@muster/kit/access.ts'
import { AppError, type ErrorCode, invalid } from '@muster/kit/errors.ts'
import { inputError } from '@muster/kit/operation/input.ts'
import { plainWords } from '@muster/kit/schema/plain-words.rules.ts'
import type { Reply } from '@muster/wire/messages/reply.ts'
import { z } from 'zod'
import type { Call } from '../../../operation.ts'
import { type CommandRegistry, commandRegistry, commandType } from '../command-registry.ts'
import { type Target, targetById } from '../commands.queries.ts'
import { requireCapable } from '../orders/issue-command.ts'
import { requireDelivery } from '../stops/stops.ts'
import { deviceRequestsOf } from './device-requests.ts'

type PayloadOf<T extends keyof CommandRegistry> = z.input<CommandRegistry[T]['payload']>
type ResultOf<T extends keyof CommandRegistry> = z.output<CommandRegistry[T]['result']>

export interface Question<T extends keyof CommandRegistry> {
  readonly type: T
  readonly payload: PayloadOf<T>
  readonly data?: Uint8Array
}

export interface DeviceAnswer<T extends keyof CommandRegistry> {
  readonly result: ResultOf<T>
  readonly data: Uint8Array
}

/**
 * The device, if the caller may send it this command.
 * @throws NOT_FOUND, FORBIDDEN, or why the device cannot run it
 */
export async function askable(
  { caller, services }: Pick<Call, 'caller' | 'services'>,
  deviceId: string,
  type: keyof CommandRegistry,
): Promise<Target> {
  const { permission } = commandType(type)
  requirePermission(caller, permission)
  return asCaller(services.people, caller, 'read', async (db) => {
    const target = await targetById(db, caller, deviceId)
    requireCapable(target, { type, payload: {} }, services.settings)
    await requireDelivery(db, [target.partnerId])
    return target
  })
}

/**
 * Sends a command to a device that `askable` returned, and waits for the reply.
 * @throws VALIDATION_ERROR naming the field, DEVICE_OFFLINE, DEVICE_TIMEOUT, or the error of the device
 */
export async function askDevice<T extends keyof CommandRegistry>(
  { services, request }: Pick<Call, 'services' | 'request'>,
  { id: deviceId, partnerId }: Pick<Target, 'id' | 'partnerId'>,
  { type, payload, data }: Question<T>,
): Promise<DeviceAnswer<T>> {
  const { timeoutMs, payload: schema } = commandType(type)
  const parsed = z.object({ payload: schema }).safeParse({ payload }, { error: plainWords })
  if (!parsed.success) throw inputError(parsed.error)
  const { signal } = request
  const asked = { deviceId, partnerId, type, payload: parsed.data.payload, timeoutMs, data, signal }
  const reply = await deviceRequestsOf(services).ask(asked)
  if (reply.status === 'failed') throw refusalIn(reply, Object.keys(parsed.data.payload))
  const result = commandRegistry[type].result.safeParse(reply.result)
  if (!result.success) throw new AppError('DEVICE_REFUSED', 'The device gave an answer that cannot be read')
  // The schema of this type has parsed the result.
  return { result: result.data as ResultOf<T>, data: reply.data ?? new Uint8Array() }
}

/** The HTTP error for each code of an agent; DEVICE_REFUSED for the others. */
export const refusalCodes: Readonly<Record<string, ErrorCode>> = {
  NOT_FOUND: 'NOT_FOUND',
  INVALID_PAYLOAD: 'VALIDATION_ERROR',
  UNSUPPORTED_COMMAND: 'AGENT_TOO_OLD',
  UNSUPPORTED_PLATFORM: 'UNSUPPORTED_PLATFORM',
  NOT_PERMITTED: 'NOT_PERMITTED',
  TIMED_OUT: 'DEVICE_TIMEOUT',
  BUSY: 'DEVICE_BUSY',
  TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  EXISTS: 'CONFLICT',
  CHANGED: 'CONFLICT',
}

/**
 * The error of an agent is a code, a colon and a message for the user. That of an invalid payload begins with the field.
 * @param fields those of the payload
 */
export function refusalIn({ error = '' }: Reply, fields: readonly string[]): AppError {
  const [, deviceCode = 'FAILED', words = error] = /^([A-Z_]+): (.*)$/s.exec(error) ?? []
  const message = words === '' ? 'The device refused it' : words
  const code = refusalCodes[deviceCode] ?? 'DEVICE_REFUSED'
  if (code !== 'VALIDATION_ERROR') return new AppError(code, message, { deviceCode })
  const [, first = '', rest = ''] = /^(\w+)[\w.]*:? (.*)$/s.exec(message) ?? []
  const issue = fields.includes(first) ? { path: first, message: rest } : { path: '', message }
  return invalid(message, { deviceCode, issues: [issue] })
}
