// What goes out after a commit. Nothing here has to arrive: a command that was not handed over stays pending, and the
// worker sends it when the device connects or the next sweep finds it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { nodesOf, sendToDevices, sendToNode } from '@muster/backplane/routing.ts'
import { AppError } from '@muster/kit/errors.ts'
import { WireError } from '@muster/wire/frame.ts'
import { liveEvent, publishEvents } from '../../../platform/live-events/index.ts'
import type { Services } from '../../../services.ts'
import { commandChanged } from '../command-events.contract.ts'
import type { Command, CommandSummary } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'
import { frameToOrder, type Instruction, signerOf } from './order-signer.ts'

const bytesAtOnce = 4 * 1024 * 1024
const ordersAtOnce = 1_000

function frameOf({ id, type, payload, timeoutMs, expiresAt }: Omit<Command, 'stdout'>): Uint8Array {
  const body = { id, type, payload, timeoutMs, expiresAt: Date.parse(expiresAt) }
  return frameToOrder({ name: 'command', sequence: 0, body })
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
  services: Pick<Services, 'redis' | 'core'>,
  commands: readonly Command[],
  partnerOf: (deviceId: string) => string | undefined,
): Promise<void> {
  const signer = signerOf(services)
  for (const [partnerId, list] of Map.groupBy(commands, ({ deviceId }) => partnerOf(deviceId) ?? '')) {
    let instructions: Instruction[] = []
    let bytes = 0
    for (const command of list) {
      const frame = frameOf(command)
      instructions.push({ kind: 'frame', deviceId: command.deviceId, frame, commandId: command.id })
      bytes += frame.length
      if (bytes < bytesAtOnce && instructions.length < ordersAtOnce) continue
      await sendToDevices(services.redis, signer.orders(instructions), partnerId)
      instructions = []
      bytes = 0
    }
    if (instructions.length > 0) await sendToDevices(services.redis, signer.orders(instructions), partnerId)
  }
}

/**
 * Looks for the device of a command that is about to be committed, which takes about as long.
 * @returns the way to hand the command over once it is
 */
export function deliveryOf(
  services: Pick<Services, 'redis' | 'core'>,
  command: Command,
  partnerId: string,
): () => Promise<unknown> {
  const { id: commandId, deviceId } = command
  // In the next turn, when the commit is on its way.
  const looked = nextTurn().then(() => nodesOf(services.redis, [deviceId]))
  const found = looked.catch(() => new Map<string, string>())
  return async () => {
    const order = signerOf(services).order({ kind: 'frame', deviceId, frame: frameOf(command), commandId })
    const node = (await found).get(deviceId)
    // Who was not there may have come meanwhile.
    return node === undefined
      ? sendToDevices(services.redis, [order], partnerId)
      : sendToNode(services.redis, node, [order], partnerId)
  }
}

/** Asks the device to stop a command that it may have begun. */
export async function deliverCancel(
  services: Pick<Services, 'redis' | 'core'>,
  { id, deviceId, partnerId }: Pick<CommandSummary, 'id' | 'deviceId'> & { readonly partnerId: string },
) {
  const frame = frameToOrder({ name: 'cancel', sequence: 0, body: { id } })
  await sendToDevices(services.redis, [signerOf(services).order({ kind: 'frame', deviceId, frame })], partnerId)
}

type Place = Pick<Target, 'orgId' | 'siteId' | 'partnerId'>

/** Publishes the status of commands. @param placeOf where the command's device belongs; without it, nothing is published */
export function publishCommands(
  { redis, clock }: Pick<Services, 'redis' | 'clock'>,
  commands: readonly CommandSummary[],
  placeOf: (deviceId: string) => Place | undefined,
): Promise<void> {
  const at = clock.now()
  const events = commands.flatMap(({ id: commandId, deviceId, type: commandType, status, exitCode }) => {
    const place = placeOf(deviceId)
    if (place === undefined) return []
    const { orgId, siteId, partnerId } = place
    const fields = { orgId, siteId, deviceId, at, commandId, commandType, status, exitCode }
    return [liveEvent(commandChanged, partnerId, fields)]
  })
  return publishEvents(redis, events)
}
