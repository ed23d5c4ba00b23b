// Hands commands over after the commit. This may fail: the command stays pending then, and the worker sends it when the device
// connects or when the sweep finds it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { nodesOf, sendToDevices, sendToNode } from '@muster/backplane/routing.ts'
import type { Call } from '../../../operation.ts'
import { liveEvent, type PartnerEvent, publishEvents } from '../../../platform/live-events/index.ts'
import type { Services } from '../../../services.ts'
import { sealedValues } from '../../secrets/index.ts'
import { commandChanged } from '../command-events.contract.ts'
import { commandType } from '../command-registry.ts'
import { type Command, type CommandSummary, QueuedCommand } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'
import type { Issued } from '../orders/issue-command.ts'
import { commandInstruction, frameOf, type IssuedCommand } from './command-frame.ts'
import { frameToOrder, type Instruction, signerOf } from './order-signer.ts'

const bytesAtOnce = 4 * 1024 * 1024
const ordersAtOnce = 1_000

type DeliveryServices = Pick<Services, 'redis' | 'core'>

/** After the commit, publishes the commands and hands them to the gateways of connected devices. */
export function deliverAfter(
  { services, afterCommit }: Pick<Call, 'services' | 'afterCommit'>,
  issued: Issued,
  targets: readonly Target[],
): void {
  const places = new Map(targets.map((target) => [target.id, target]))
  const { commands } = issued
  const [only, ...others] = commands
  const deliver =
    only !== undefined && others.length === 0
      ? deliverOne(services, only, issued, places.get(only.deviceId)?.partnerId ?? '')
      : () => deliverAll(services, issued, (deviceId) => places.get(deviceId)?.partnerId)
  afterCommit(() =>
    Promise.all([
      deliver(),
      publishCommands(services, commands, (deviceId) => places.get(deviceId)),
      publishSettings(services, commands, places),
    ]),
  )
}

/** Publishes what commands of these types change on their devices as soon as they are issued. */
async function publishSettings(
  services: Pick<Services, 'redis' | 'clock'>,
  commands: readonly Command[],
  places: ReadonlyMap<string, Target>,
): Promise<void> {
  for (const [type, own] of Map.groupBy(commands, (command) => command.type)) {
    const { setting } = commandType(QueuedCommand.parse(type))
    await setting?.publish(
      services,
      own.flatMap(({ deviceId }) => places.get(deviceId) ?? []),
    )
  }
}

/** Hands commands over in bounded portions, so that other requests get their turn in between. */
async function deliverAll(
  services: DeliveryServices,
  { commands, frames }: Issued,
  partnerOf: (deviceId: string) => string | undefined,
): Promise<void> {
  const signer = signerOf(services)
  const sealed = await sealedFor(services, commands)
  for (const [partnerId, list] of Map.groupBy(commands, ({ deviceId }) => partnerOf(deviceId) ?? '')) {
    let instructions: Instruction[] = []
    let bytes = 0
    for (const command of list) {
      const frame = frames.get(command.id) ?? frameOf(command, sealed.get(command.id))
      instructions.push(commandInstruction(command, frame))
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
 * Looks up the gateway of the device while the command is being committed, which takes about as long.
 * @returns the function that hands the command over
 */
function deliverOne(
  services: DeliveryServices,
  command: IssuedCommand,
  { frames }: Issued,
  partnerId: string,
): () => Promise<unknown> {
  // In the next turn of the event loop, when the commit has been sent.
  const lookup = nextTurn().then(() => nodesOf(services.redis, [command.deviceId]))
  const found = lookup.catch(() => new Map<string, string>())
  return async () => {
    const ready = frames.get(command.id)
    const frame = ready ?? frameOf(command, (await sealedFor(services, [command])).get(command.id))
    const order = signerOf(services).order(commandInstruction(command, frame))
    const node = (await found).get(command.deviceId)
    // The device may have connected meanwhile.
    return node === undefined
      ? sendToDevices(services.redis, [order], partnerId)
      : sendToNode(services.redis, node, [order], partnerId)
  }
}

const sealedFor = ({ core: { system, keyring } }: Pick<Services, 'core'>, commands: readonly IssuedCommand[]) =>
  sealedValues(system, keyring, commands)

/** Tells devices to stop commands that they may have started. */
export async function deliverCancels(
  services: Pick<Services, 'redis' | 'core'>,
  commands: readonly (Pick<CommandSummary, 'id' | 'deviceId'> & { readonly partnerId: string })[],
): Promise<void> {
  for (const [partnerId, own] of Map.groupBy(commands, (command) => command.partnerId)) {
    const instructions = own.map(({ id, deviceId }): Instruction => {
      const frame = frameToOrder({ name: 'cancel', sequence: 0, body: { id } })
      return { kind: 'frame', deviceId, frame }
    })
    await sendToDevices(services.redis, signerOf(services).orders(instructions), partnerId)
  }
}

type DeviceLocation = Pick<Target, 'orgId' | 'siteId' | 'partnerId'>

/** Publishes the status of commands. @param placeOf where the command's device belongs; without it, nothing is published */
export function publishCommands(
  { redis, clock }: Pick<Services, 'redis' | 'clock'>,
  commands: readonly CommandSummary[],
  placeOf: (deviceId: string) => DeviceLocation | undefined,
): Promise<void> {
  return publishEvents(redis, commandEvents(commands, placeOf, clock.now()))
}

/** What tells open pages about the status of commands. */
export function commandEvents(
  commands: readonly Pick<CommandSummary, 'id' | 'deviceId' | 'type' | 'status' | 'exitCode'>[],
  placeOf: (deviceId: string) => DeviceLocation | undefined,
  at: number,
): PartnerEvent[] {
  return commands.flatMap(({ id: commandId, deviceId, type: commandType, status, exitCode }) => {
    const place = placeOf(deviceId)
    if (place === undefined) return []
    const { orgId, siteId, partnerId } = place
    const fields = { orgId, siteId, deviceId, at, commandId, commandType, status, exitCode }
    return [liveEvent(commandChanged, partnerId, fields)]
  })
}
