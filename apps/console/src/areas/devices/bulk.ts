import type { Device } from '@muster/areas/devices/devices.contract.ts'
import { api } from '../../api.ts'
import { type DeviceFilters, everyDevice } from './deviceList.ts'
import type { DeviceSelection } from './useSelection.ts'

const perRequest = 500

export type Order =
  | { readonly kind: 'script'; readonly script: string; readonly language: 'bash' | 'sh' | 'python' }
  | { readonly kind: 'inventory' }
  | { readonly kind: 'tags'; readonly add: string[]; readonly remove: string[] }

/** What became of it: how many, and why not the others. */
export interface Outcome {
  readonly done: number
  readonly skipped: ReadonlyMap<string, number>
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

/** Does it, a part at a time, and tells how far it is. */
export async function carryOut(
  order: Order,
  devices: readonly Device[],
  progress: (done: number) => void,
): Promise<Outcome> {
  let done = 0
  const skipped = new Map<string, number>()
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  for (let from = 0; from < devices.length; from += perRequest) {
    const deviceIds = devices.slice(from, from + perRequest).map(({ id }) => id)
    if (order.kind === 'tags') {
      const answer = await api.devices.tags.assign.mutate({ deviceIds, add: order.add, remove: order.remove })
      done += answer.updated.length
      for (const { reason } of answer.skipped) skip(reason)
    } else {
      const given =
        order.kind === 'script'
          ? { type: 'run_script' as const, payload: { script: order.script, language: order.language } }
          : { type: 'refresh_inventory' as const }
      const answer = await api.devices.commands.bulk.mutate({ deviceIds, ...given })
      done += answer.commands.length
      for (const { reason } of answer.skipped) skip(reason)
      for (const { message } of answer.failed) skip(message)
    }
    progress(Math.min(devices.length, from + perRequest))
  }
  return { done, skipped }
}

/** Reasons of the service in words. */
export const skipWords: Readonly<Record<string, string>> = {
  already_pending: 'has such a command waiting already',
  provisioned: 'has no agent yet',
  quarantined: 'is quarantined',
  decommissioned: 'is decommissioned',
  organization_suspended: 'belongs to a suspended organisation',
}
