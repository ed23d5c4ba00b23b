import {
  frameToOrder,
  type Instruction,
  type OrderSigner,
} from '@muster/areas/control/commands/delivery/order-signer.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import { pendingPerBatchMax, pendingPerDeviceMax } from './limits.ts'

export interface OpenCommand {
  id: string
  device_id: string
  partner_id: string
  type: string
  payload: Record<string, unknown>
  timeout_ms: number
  expires_ms: number
}

/** The columns of an `OpenCommand`, of a table `c`. */
export const openCommandColumns = `c.id, c.device_id, c.partner_id, c.type, c.payload, c.timeout_ms,
  (extract(epoch FROM c.expires_at) * 1000)::float8 AS expires_ms`

/** Of a command, as a column, whether nothing of its partner is stopped. */
export const mayGoOut = (partnerId: string) =>
  `NOT EXISTS (SELECT FROM command_stops s WHERE s.partner_id IS NULL OR s.partner_id = ${partnerId})`

// A running command goes out again too: the agent's journal turns that into news of it, or into the result.
const findOpen = {
  name: 'find-open-commands',
  text: `SELECT ${openCommandColumns} FROM unnest($1::uuid[]) AS u(device_id)
    CROSS JOIN LATERAL (
      SELECT * FROM device_commands o
      WHERE o.device_id = u.device_id AND o.status IN ('pending', 'sent', 'running')
        AND (o.status <> 'pending' OR o.expires_at > now())
      ORDER BY o.created_at, o.id LIMIT ${pendingPerDeviceMax}) c
    JOIN devices d ON d.id = c.device_id AND d.org_id = c.org_id AND d.lifecycle = 'active'
    WHERE ${mayGoOut('c.partner_id')}
    ORDER BY c.created_at, c.id LIMIT ${pendingPerBatchMax}`,
}

/** Sends devices that have just connected everything that is still to be done, in the order in which it was asked for. */
export async function routeOpenCommands(
  parts: { pool: pg.Pool; redis: Redis; signer: OrderSigner; log: Log },
  deviceIds: readonly string[],
): Promise<number> {
  if (deviceIds.length === 0) return 0
  const { rows } = await parts.pool.query<OpenCommand>({ ...findOpen, values: [deviceIds] })
  if (rows.length >= pendingPerBatchMax && deviceIds.length > 1) {
    const half = Math.ceil(deviceIds.length / 2)
    return (
      (await routeOpenCommands(parts, deviceIds.slice(0, half))) +
      (await routeOpenCommands(parts, deviceIds.slice(half)))
    )
  }
  await routeCommands(parts, rows)
  return rows.length
}

/** Hands commands to the nodes that hold their devices. */
export async function routeCommands(
  { redis, signer, log }: { redis: Redis; signer: OrderSigner; log: Log },
  commands: readonly OpenCommand[],
): Promise<void> {
  await Promise.all(
    [...Map.groupBy(commands, (command) => command.partner_id)].map(([partnerId, list]) => {
      const instructions = list.flatMap((command) => instructionOf(command, log) ?? [])
      return sendToDevices(redis, signer.orders(instructions), partnerId)
    }),
  )
}

function instructionOf(command: OpenCommand, log: Log): Instruction | undefined {
  const { id, type, payload, timeout_ms: timeoutMs, expires_ms: expiresMs } = command
  try {
    const body = { id, type, payload, timeoutMs, expiresAt: Math.ceil(expiresMs) }
    const frame = frameToOrder({ name: 'command', sequence: 0, body })
    return { kind: 'frame', deviceId: command.device_id, frame, commandId: id }
  } catch (error) {
    log.error({ err: error, commandId: id, deviceId: command.device_id }, 'a command cannot be put into a frame')
    return undefined
  }
}
