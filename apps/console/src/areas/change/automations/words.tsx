import type { AutomationStatus } from '@muster/areas/change/automations/automations.contract.ts'
import type { OnFailure } from '@muster/areas/change/automations/runs/actions/actions.contract.ts'
import type { Run, RunStatus, RunSummary } from '@muster/areas/change/automations/runs/runs.contract.ts'
import type { Trigger } from '@muster/areas/change/automations/triggers/triggers.contract.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import { capital } from '../../../ui/text/words.ts'
import { skipWords } from '../../fleet/devices/list/bulk.ts'
import { lengthText } from '../../watch/conditions/words.ts'
import { eventText } from '../../watch/eventWords.ts'
import { cronWords } from './cronWords.ts'

export const statuses: readonly (readonly [AutomationStatus, string])[] = [
  ['enabled', 'Enabled'],
  ['disabled', 'Disabled'],
  ['awaiting_approval', 'Awaiting approval'],
  ['tripped', 'Stopped at a limit'],
]
const statusWords = new Map(statuses)
const statusTones: Readonly<Record<AutomationStatus, Tone>> = {
  enabled: 'good',
  disabled: 'plain',
  awaiting_approval: 'warn',
  tripped: 'bad',
}
export const StatusBadge = ({ status }: { readonly status: AutomationStatus }) => (
  <Badge tone={statusTones[status]}>{statusWords.get(status)}</Badge>
)

export const triggerTypes: readonly (readonly [Trigger['type'], string])[] = [
  ['schedule', 'Schedule'],
  ['event', 'Event'],
  ['webhook', 'Webhook'],
  ['manual', 'By hand'],
]

export const failureChoices: readonly (readonly [OnFailure, string])[] = [
  ['stop', 'Device takes no further steps'],
  ['continue', 'Device continues'],
  ['notify', 'Device stops, owner is notified'],
]
export const failureText = (onFailure: OnFailure): string => new Map(failureChoices).get(onFailure) ?? onFailure

export const overlapChoices = [
  ['skip', 'Skip the new run'],
  ['queue', 'Queue the new run'],
  ['parallel', 'Run both'],
] as const

export const runStatuses: readonly (readonly [RunStatus, string])[] = [
  ['queued', 'Queued'],
  ['running', 'Running'],
  ['completed', 'Completed'],
  ['partial', 'Partly completed'],
  ['failed', 'Failed'],
  ['cancelled', 'Canceled'],
  ['skipped', 'Skipped'],
]
const runWords = new Map(runStatuses)
const runTones: Readonly<Record<RunStatus, Tone>> = {
  queued: 'info',
  running: 'info',
  completed: 'good',
  partial: 'warn',
  failed: 'bad',
  cancelled: 'plain',
  skipped: 'plain',
}
export const RunBadge = ({ run: { status, dryRun } }: { readonly run: Pick<RunSummary, 'status' | 'dryRun'> }) =>
  dryRun ? <Badge tone="info">Dry run</Badge> : <Badge tone={runTones[status]}>{runWords.get(status)}</Badge>

type StepStatus = Run['steps'][number]['devices'][number]['status'] | Run['steps'][number]['status']
const stepTones: Readonly<Record<StepStatus, Tone>> = {
  planned: 'info',
  pending: 'plain',
  running: 'info',
  succeeded: 'good',
  partial: 'warn',
  failed: 'bad',
  skipped: 'plain',
}
/** How a step stands, as a whole or on one device. */
export const StepBadge = ({ status }: { readonly status: StepStatus }) => (
  <Badge tone={stepTones[status]}>{status === 'partial' ? 'Partly succeeded' : capital(status)}</Badge>
)

const reasons = new Map([
  ['waiting', 'Waits for another run with the same devices'],
  ['too_many_devices', 'More devices match than a run may have. Nothing was done'],
  ['step_failed', 'A step failed'],
  ['owner_not_permitted', 'Its owner no longer has the permissions or the devices that it needs'],
  ['conditions_invalid', 'Its conditions name a field that was deleted'],
  ['overlap', 'Another run with the same devices was open'],
  ['cooldown', 'The cooldown since the last run had not passed'],
  ['missed', 'The time had passed too long ago'],
  ['no_devices', 'No device matches'],
  ['did_not_last', 'The opposite event came in time'],
  ['loop', 'It would have started itself'],
  ['chain_too_long', 'Five other automations led to it'],
  ['too_many_runs', 'It started more often than its limit of runs per hour'],
  ['device_loop', 'It started ten times for one device within ten minutes'],
  ['disabled', 'The automation was disabled'],
  ['tripped', 'The automation was stopped at a limit'],
  ['awaiting_approval', 'The automation waits for approval'],
  ['approval_refused', 'The approval was rejected'],
  ['approval_withdrawn', 'The approval was withdrawn'],
  ['approval_expired', 'The approval was not given in time'],
  ['maintenance', 'Held back by a maintenance window'],
  ['commands_stopped', 'Commands are stopped'],
])
/** Why an automation, a run or a device is where it is. Messages stay as they are. */
export const reasonText = (reason: string): string =>
  capital(reasons.get(reason) ?? skipWords[reason] ?? (/^[a-z_]+$/.test(reason) ? reason.replaceAll('_', ' ') : reason))

const starters: Readonly<Record<RunSummary['triggeredBy'], string>> = {
  schedule: 'Schedule',
  event: 'Event',
  webhook: 'Webhook',
  manual: 'A person',
}
export const starterText = ({ triggeredBy }: Pick<RunSummary, 'triggeredBy'>): string => starters[triggeredBy]

const listed = (value: unknown) => [value].flat().map(String).join(' or ')

/** What starts an automation, in words. */
export function triggerText(trigger: Trigger): string {
  switch (trigger.type) {
    case 'schedule':
      return `${cronWords(trigger.cron)} (${trigger.timezone})`
    case 'event': {
      const where = Object.entries(trigger.match).map(([field, value]) => `${field} is ${listed(value)}`)
      const lasting = trigger.forSeconds > 0 ? ` for ${lengthText(trigger.forSeconds)}` : ''
      return `${eventText(trigger.event)}${lasting}${where.length > 0 ? `, where ${where.join(' and ')}` : ''}`
    }
    case 'webhook':
      return 'A request of another program'
    case 'manual':
      return 'Only by hand'
  }
}
