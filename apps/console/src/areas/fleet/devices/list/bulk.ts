import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { api } from '../../../../api.ts'
import type { Language } from '../../../control/commands/languages.ts'
import type { DeviceFilters } from '../deviceQuestion.ts'
import { everyDevice } from './deviceList.ts'
import type { DeviceSelection } from './useSelection.ts'

const perRequest = { command: 5_000, other: 500 }

export type Order =
  | { readonly kind: 'script'; readonly script: string; readonly language: Language }
  | { readonly kind: 'inventory' }
  | { readonly kind: 'reboot' }
  | { readonly kind: 'tags'; readonly add: string[]; readonly remove: string[] }
  | { readonly kind: 'group'; readonly groupId: string }
/** Whether the order sends commands to the machines. */
export const isCommand = (kind: Order['kind']) => kind !== 'tags' && kind !== 'group'

/** The result: how many devices, and why the others were skipped. */
export interface Outcome {
  readonly done: number
  readonly skipped: ReadonlyMap<string, number>
  /** Names the commands of the last request. */
  readonly batchId: string | null
  /** Of requests that wait for a second person: how many devices they are for. */
  readonly waiting: number
}

/** The selected devices, read again, so that the user confirms exactly these. */
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
  /** The same for all attempts, so that a retry sends nothing twice. */
  readonly key: string
}

/** Carries out an order in parts and reports progress. */
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

/** Why a device was skipped, in words. */
export const skipWords: Readonly<Record<string, string>> = {
  already_pending: 'the same command is already queued',
  provisioned: 'no agent yet',
  quarantined: 'quarantined',
  decommissioned: 'decommissioned',
  organization_suspended: 'organization suspended',
  agent_too_old: 'agent too old',
  unsupported_platform: 'not supported on its OS',
  missing_tool: 'a program is missing on it',
  maintenance: 'scripts are held back by maintenance',
  not_permitted: 'its agent lacks the permission',
  'already a member': 'already in the group',
}
