import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { api } from '../../../api.ts'
import { everyDevice } from './deviceList.ts'
import type { DeviceFilters } from './deviceQuestion.ts'
import type { DeviceSelection } from './useSelection.ts'

const perRequest = { command: 5_000, other: 500 }

export type Order =
  | { readonly kind: 'script'; readonly script: string; readonly language: 'bash' | 'sh' | 'python' }
  | { readonly kind: 'inventory' }
  | { readonly kind: 'reboot' }
  | { readonly kind: 'tags'; readonly add: string[]; readonly remove: string[] }
  | { readonly kind: 'group'; readonly groupId: string }
/** Does it reach the machines themselves? */
export const isCommand = (kind: Order['kind']) => kind !== 'tags' && kind !== 'group'

/** What became of it: how many, and why not the others. */
export interface Outcome {
  readonly done: number
  readonly skipped: ReadonlyMap<string, number>
  /** Names the commands of the last request. */
  readonly batchId: string | null
  /** Of requests that wait for a second person: how many devices they are for. */
  readonly waiting: number
}

/** The selected devices, read anew: what the person confirms is what is hit. */
export async function selectedDevices(
  { isAll, ids }: DeviceSelection,
  filters: DeviceFilters,
  progress: (read: number) => void,
  signal: AbortSignal,
): Promise<Device[]> {
  const all = await everyDevice(filters, progress, signal)
  return all.filter(({ id }) => ids.has(id) !== isAll)
}

interface Given {
  readonly order: Order
  readonly devices: readonly Device[]
  /** The same for every attempt, so that one that is made again sends nothing twice. */
  readonly key: string
}

/** Does it, a part at a time, and tells how far it is. */
export async function carryOut({ order, devices, key }: Given, progress: (done: number) => void): Promise<Outcome> {
  let done = 0
  let batchId: string | null = null
  let waiting = 0
  const skipped = new Map<string, number>()
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  const step = isCommand(order.kind) ? perRequest.command : perRequest.other
  for (let from = 0; from < devices.length; from += step) {
    const deviceIds = devices.slice(from, from + step).map(({ id }) => id)
    if (order.kind === 'tags') {
      const answer = await api.devices.tags.assign.mutate({ deviceIds, add: order.add, remove: order.remove })
      done += answer.updated.length
      for (const { reason } of answer.skipped) skip(reason)
    } else if (order.kind === 'group') {
      const answer = await api.groups.members.add.mutate({ id: order.groupId, deviceIds })
      done += answer.added.length
      for (const { reason } of answer.skipped) skip(reason)
    } else {
      const answer = await api.devices.commands.bulk.mutate({
        deviceIds,
        ...commandOf(order),
        idempotencyKey: `${key}/${from}`,
      })
      done += answer.commands.length
      batchId = answer.batchId ?? batchId
      waiting += answer.approval?.devices ?? 0
      for (const { reason } of answer.skipped) skip(reason)
      for (const { message } of answer.failed) skip(message)
    }
    progress(Math.min(devices.length, from + step))
  }
  return { done, skipped, batchId, waiting }
}

function commandOf(order: Exclude<Order, { kind: 'tags' | 'group' }>) {
  if (order.kind === 'script')
    return { type: 'run_script' as const, payload: { script: order.script, language: order.language } }
  return { type: order.kind === 'reboot' ? ('reboot' as const) : ('refresh_inventory' as const) }
}

/** Reasons of the service in words. */
export const skipWords: Readonly<Record<string, string>> = {
  already_pending: 'has such a command waiting already',
  provisioned: 'has no agent yet',
  quarantined: 'is quarantined',
  decommissioned: 'is decommissioned',
  organization_suspended: 'belongs to a suspended organisation',
  agent_too_old: 'has an agent that is too old for it',
  unsupported_platform: 'has a system that knows nothing like it',
  'already a member': 'is in the group already',
}
