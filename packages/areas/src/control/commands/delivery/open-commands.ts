// Sends commands again that are not completed: to devices that connect, and to those that did not answer.

import type { Redis } from '@muster/backplane/redis.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import type pg from 'pg'
import { arrival } from '../../../background/arrival.ts'
import { storeSealingKeys } from '../../../fleet/devices/index.ts'
import { sealedValues } from '../../secrets/index.ts'
import { commandFrame, commandInstruction, type FramedCommand } from './command-frame.ts'
import { type Instruction, type OrderSigner, workerSignerOf } from './order-signer.ts'

const commandsPerDeviceMax = 100
const commandsPerLookupMax = 2_000
const devicesPerLookup = 5_000

interface SendingParts {
  readonly pool: pg.Pool
  readonly redis: Redis
  readonly signer: OrderSigner
  readonly keyring: Keyring
  readonly log: Log
}

export interface OpenCommand extends FramedCommand {
  readonly partnerId: string
}

/** The columns of an `OpenCommand`, of a table `c`. */
export const openCommandColumns = `c.id, c.device_id AS "deviceId", c.partner_id AS "partnerId", c.type, c.payload,
  c.timeout_ms AS "timeoutMs", ceil(extract(epoch FROM c.expires_at) * 1000)::float8 AS "expiresAtMs",
  c.script_grant AS "scriptGrant", c.secret_ids AS "secretIds"`

/** Condition: no emergency stop holds the commands of the partner in this column. */
export const isNotStopped = (partnerId: string) =>
  `NOT EXISTS (SELECT FROM command_stops s WHERE s.partner_id IS NULL OR s.partner_id = ${partnerId})`

// Running commands are sent again too: the journal of the agent answers with their state or their result.
const findOpen = {
  name: 'find-open-commands',
  text: `SELECT ${openCommandColumns} FROM unnest($1::uuid[]) AS u(device_id)
    CROSS JOIN LATERAL (
      SELECT * FROM device_commands o
      WHERE o.device_id = u.device_id AND o.status IN ('pending', 'sent', 'running')
        AND (o.status <> 'pending' OR o.expires_at > now())
      ORDER BY o.created_at, o.id LIMIT ${commandsPerDeviceMax}) c
    JOIN devices d ON d.id = c.device_id AND d.org_id = c.org_id AND d.lifecycle = 'active'
    WHERE ${isNotStopped('c.partner_id')}
    ORDER BY c.created_at, c.id LIMIT ${commandsPerLookupMax}`,
}

/** Sends devices their open commands, in the order in which they were created. @returns how many */
export async function sendOpenCommands(parts: SendingParts, deviceIds: readonly string[]): Promise<number> {
  if (deviceIds.length === 0) return 0
  const { rows } = await parts.pool.query<OpenCommand>({ ...findOpen, values: [deviceIds] })
  if (rows.length >= commandsPerLookupMax && deviceIds.length > 1) {
    const half = Math.ceil(deviceIds.length / 2)
    return (
      (await sendOpenCommands(parts, deviceIds.slice(0, half))) + (await sendOpenCommands(parts, deviceIds.slice(half)))
    )
  }
  await sendCommands(parts, rows)
  return rows.length
}

/** Hands commands to the nodes that hold their devices. */
export async function sendCommands(parts: SendingParts, commands: readonly OpenCommand[]): Promise<void> {
  const sealed = await sealedValues(parts.pool, parts.keyring, commands)
  await sendSealed(parts, commands, sealed)
}

/** Hands commands to the nodes with the values of their secrets. */
export async function sendSealed(
  parts: Omit<SendingParts, 'pool' | 'keyring'>,
  commands: readonly OpenCommand[],
  sealed: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  await Promise.all(
    [...Map.groupBy(commands, (command) => command.partnerId)].map(([partnerId, list]) => {
      const instructions = list.flatMap((command) => instructionFor(parts, command, sealed.get(command.id)))
      return sendToDevices(parts.redis, parts.signer.orders(instructions), partnerId)
    }),
  )
}

function instructionFor(
  { log }: Pick<SendingParts, 'log'>,
  command: OpenCommand,
  sealed: Uint8Array | undefined,
): Instruction[] {
  try {
    return [commandInstruction(command, commandFrame(command, sealed))]
  } catch (error) {
    const { id: commandId, deviceId } = command
    log.error({ err: error, commandId, deviceId }, 'Command does not fit into a frame')
    return []
  }
}

/** Devices that connect are sent their open commands. */
export const openCommands = arrival({
  name: 'connected',
  async send(parts, hellos) {
    const sending = { ...parts, signer: workerSignerOf(parts) }
    const keys = hellos.flatMap(({ deviceId, body: { role, sealingKey } }) =>
      role === 'agent' && sealingKey !== undefined ? [{ deviceId, sealingKey }] : [],
    )
    // Before their commands, whose secrets are sealed to these keys.
    await storeSealingKeys(parts.pool, keys)
    const agents = [...new Set(hellos.flatMap(({ deviceId, body }) => (body.role === 'agent' ? [deviceId] : [])))]
    let sent = 0
    for (let start = 0; start < agents.length; start += devicesPerLookup)
      sent += await sendOpenCommands(sending, agents.slice(start, start + devicesPerLookup))
    return sent
  },
})
