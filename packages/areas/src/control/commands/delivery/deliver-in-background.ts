// Sends the commands of plans after the commit of the worker's transaction. If it fails, the sweeps send them.
import { systemClock } from '@muster/kit/clock.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { commandType } from '../command-registry.ts'
import type { CommandSummary } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'
import type { CommandOrder } from '../orders/validate-order.ts'
import { commandEvents } from './deliver-command.ts'
import { type OpenCommand, openCommandColumns, sendCommands } from './open-commands.ts'
import { workerSignerOf } from './order-signer.ts'

const bytesAtOnce = 1024 * 1024
const commandsAtOnce = 200

/** How many commands of an order are handled at once, so that other work of the process gets its turn. */
export function portionOf({ payload }: Pick<CommandOrder, 'payload'>): number {
  return Math.max(1, Math.min(commandsAtOnce, Math.floor(bytesAtOnce / JSON.stringify(payload).length)))
}

const findIssued = {
  name: 'find-issued-commands',
  text: `SELECT ${openCommandColumns} FROM device_commands c WHERE c.id = ANY($1::uuid[]) AND c.status = 'pending'`,
}

type Created = Pick<CommandSummary, 'id' | 'deviceId' | 'type' | 'status' | 'exitCode'>

/** Hands created commands to the gateways of connected devices, and publishes them. */
export async function deliverInBackground(
  parts: WorkerParts,
  order: CommandOrder,
  created: readonly Created[],
  targets: readonly Target[],
): Promise<void> {
  if (created.length === 0) return
  const places = new Map(targets.map((target) => [target.id, target]))
  await send(parts, portionOf(order), created)
  await parts.publish(commandEvents(created, (deviceId) => places.get(deviceId), systemClock.now()))
  const { setting } = commandType(order.type)
  const changed = created.flatMap(({ deviceId }) => places.get(deviceId) ?? [])
  await setting?.publish({ redis: parts.redis, clock: systemClock }, changed)
}

async function send(parts: WorkerParts, portion: number, created: readonly Created[]): Promise<void> {
  const sending = { ...parts, signer: workerSignerOf(parts) }
  for (let start = 0; start < created.length; start += portion) {
    const ids = created.slice(start, start + portion).map(({ id }) => id)
    const { rows } = await parts.pool.query<OpenCommand>({ ...findIssued, values: [ids] })
    await sendCommands(sending, rows)
  }
}
