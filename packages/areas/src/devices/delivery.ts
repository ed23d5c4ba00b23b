// What goes out after a commit. Nothing here has to arrive: a command that was not handed over stays pending, and the
// worker sends it when the device connects or the next sweep finds it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type LiveEvent, publishLive } from '@muster/backplane/live.ts'
import { nodesOf, type Order, sendToDevices, sendToNode } from '@muster/backplane/routing.ts'
import { AppError } from '@muster/kit/errors.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { WireError } from '@muster/wire/frame.ts'
import type { Services } from '../services.ts'
import type { Command, CommandSummary } from './commands.contract.ts'
import type { Target } from './commands.queries.ts'

const bytesAtOnce = 4 * 1024 * 1024
const ordersAtOnce = 1_000

function frameOf({ id, type, payload, timeoutMs, expiresAt }: Omit<Command, 'stdout'>): Uint8Array {
  const body = { id, type, payload, timeoutMs, expiresAt: Date.parse(expiresAt) }
  return encodeDown({ name: 'command', sequence: 0, body })
}

/** How large the command's frame is. @throws PAYLOAD_TOO_LARGE when no frame can carry it */
export function frameBytesOf(command: Command): number {
  try {
    return frameOf(command).length
  } catch (error) {
    if (error instanceof WireError) throw new AppError('PAYLOAD_TOO_LARGE', 'The payload does not fit into one message')
    throw error
  }
}

/**
 * Hands commands to the nodes that hold their devices, a bounded number at a time, so that requests of others get their
 * turn here as they do at the nodes.
 * @param partnerOf whose the command's device is
 */
export async function deliverCommands(
  { redis }: Pick<Services, 'redis'>,
  commands: readonly Command[],
  partnerOf: (deviceId: string) => string | undefined,
): Promise<void> {
  for (const [partnerId, list] of Map.groupBy(commands, ({ deviceId }) => partnerOf(deviceId) ?? '')) {
    let orders: Order[] = []
    let bytes = 0
    for (const command of list) {
      const frame = frameOf(command)
      orders.push({ kind: 'frame', deviceId: command.deviceId, bytes: frame, commandId: command.id })
      bytes += frame.length
      if (bytes < bytesAtOnce && orders.length < ordersAtOnce) continue
      await sendToDevices(redis, orders, partnerId)
      orders = []
      bytes = 0
    }
    if (orders.length > 0) await sendToDevices(redis, orders, partnerId)
  }
}

/**
 * Looks for the device of a command that is about to be committed, which takes about as long.
 * @returns the way to hand the command over once it is
 */
export function deliveryOf(
  { redis }: Pick<Services, 'redis'>,
  command: Command,
  partnerId: string,
): () => Promise<unknown> {
  const { id: commandId, deviceId } = command
  // In the next turn, when the commit is on its way.
  const looked = nextTurn().then(() => nodesOf(redis, [deviceId]))
  const found = looked.catch(() => new Map<string, string>())
  return async () => {
    const order: Order = { kind: 'frame', deviceId, bytes: frameOf(command), commandId }
    const node = (await found).get(deviceId)
    // Who was not there may have come meanwhile.
    return node === undefined ? sendToDevices(redis, [order], partnerId) : sendToNode(redis, node, [order], partnerId)
  }
}

/** Asks the device to stop a command that it may have begun. */
export async function deliverCancel(
  { redis }: Pick<Services, 'redis'>,
  { id, deviceId, partnerId }: Pick<CommandSummary, 'id' | 'deviceId'> & { readonly partnerId: string },
) {
  const bytes = encodeDown({ name: 'cancel', sequence: 0, body: { id } })
  await sendToDevices(redis, [{ kind: 'frame', deviceId, bytes }], partnerId)
}

type Place = Pick<Target, 'orgId' | 'siteId'>

/** Tells watchers how commands stand. @param placeOf where the command's device stands */
export function tellOfCommands(
  { redis, clock }: Pick<Services, 'redis' | 'clock'>,
  commands: readonly CommandSummary[],
  placeOf: (deviceId: string) => (Place & { partnerId: string }) | undefined,
): Promise<unknown> {
  const events = new Map<string, LiveEvent[]>()
  for (const { id: commandId, deviceId, type: commandType, status, exitCode } of commands) {
    const place = placeOf(deviceId)
    if (place === undefined) continue
    const { orgId, siteId, partnerId } = place
    const event = { type: 'command.changed', orgId, siteId, deviceId, at: clock.now() } as const
    const list = events.get(partnerId) ?? []
    list.push({ ...event, commandId, commandType, status, exitCode })
    events.set(partnerId, list)
  }
  return Promise.all([...events].map(([partnerId, list]) => publishLive(redis, partnerId, list)))
}
