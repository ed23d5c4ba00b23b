import type {
  Counts,
  Deployment,
  DeploymentStatus,
  DeviceStatus,
} from '@muster/areas/change/deployments/deployments.contract.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import { capital } from '../../../ui/text/words.ts'

export const statuses: readonly (readonly [DeploymentStatus, string])[] = [
  ['draft', 'Draft'],
  ['ready', 'Ready'],
  ['awaiting_approval', 'Awaiting approval'],
  ['scheduled', 'Scheduled'],
  ['running', 'Running'],
  ['paused', 'Paused'],
  ['halted', 'Halted'],
  ['completed', 'Completed'],
  ['cancelled', 'Canceled'],
]
const statusWords = new Map(statuses)
const statusTones: Readonly<Record<DeploymentStatus, Tone>> = {
  draft: 'plain',
  ready: 'info',
  awaiting_approval: 'warn',
  scheduled: 'info',
  running: 'info',
  paused: 'warn',
  halted: 'bad',
  completed: 'good',
  cancelled: 'plain',
}

export const StatusBadge = ({ status }: { readonly status: DeploymentStatus }) => (
  <Badge tone={statusTones[status]}>{statusWords.get(status)}</Badge>
)

export const deviceStatuses: readonly (readonly [DeviceStatus, string])[] = [
  ['pending', 'Pending'],
  ['held', 'Held'],
  ['queued', 'Queued'],
  ['running', 'Running'],
  ['succeeded', 'Succeeded'],
  ['failed', 'Failed'],
  ['skipped', 'Skipped'],
  ['cancelled', 'Canceled'],
  ['expired', 'Expired'],
]
const deviceWords = new Map(deviceStatuses)
const deviceTones: Readonly<Record<DeviceStatus, Tone>> = {
  pending: 'plain',
  held: 'warn',
  queued: 'info',
  running: 'info',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'plain',
  cancelled: 'plain',
  expired: 'warn',
}

export const DeviceBadge = ({ status }: { readonly status: DeviceStatus }) => (
  <Badge tone={deviceTones[status]}>{deviceWords.get(status)}</Badge>
)

const reasons = new Map([
  ['owner_not_permitted', 'Its owner may no longer do this. Resume it to become its owner'],
  ['no_grant', 'It has no valid grant. Resume it to grant the script again'],
  ['commands_stopped', 'Commands are stopped'],
  ['approval_refused', 'The approval was refused'],
  ['approval_withdrawn', 'The approval was withdrawn'],
  ['approval_expired', 'The approval was not given in time'],
  ['gate', 'A gate was not green for half an hour. Resume it to accept the gate'],
  ['offline', 'Offline'],
  ['maintenance', 'Maintenance window'],
  ['out_of_reach', 'Out of the owner’s reach'],
  ['deadline', 'Deadline passed'],
])

/** Why a deployment or a device is where it is. */
export const reasonText = (reason: string): string => reasons.get(reason) ?? capital(reason.replaceAll('_', ' '))

export const orderText = ({ order }: Pick<Deployment, 'order'>): string =>
  order.kind === 'command' ? capital(order.type.replaceAll('_', ' ')) : capital(order.kind.replaceAll('_', ' '))

/** Devices that have ended in any way. */
export const endedOf = ({ succeeded, failed, skipped, cancelled, expired }: Counts): number =>
  succeeded + failed + skipped + cancelled + expired
