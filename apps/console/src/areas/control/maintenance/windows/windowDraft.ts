import { defaultEffects, type Effects } from '@muster/areas/control/maintenance/maintenance.contract.ts'
import { localOf } from '@muster/areas/control/maintenance/recurrence/wall-time.rules.ts'
import type { Window } from '@muster/areas/control/maintenance/windows.contract.ts'
import { isTimezone } from '@muster/kit/contract.ts'
import type { Fields } from '../../../fleet/filters/draft.ts'
import {
  allDevices,
  faultOfTargets,
  type TargetDraft,
  targetDraftOf,
  targetsOf,
} from '../../../fleet/targets/targetDraft.ts'
import { faultOfRecurrence, plainRecurrence, type Recurrence, recurrenceOf, ruleOf } from './recurrence.ts'

export interface WindowDraft {
  readonly name: string
  readonly description: string
  /** Local to the zone. */
  readonly startsAt: string
  readonly isPerSite: boolean
  readonly timezone: string
  readonly durationMinutes: number
  readonly recurrence: Recurrence
  readonly exDates: readonly string[]
  readonly targets: TargetDraft
  readonly effects: Effects
  readonly verifyReturn: boolean
}

const hourMs = 3_600_000

/** A window of two hours that starts at the next full hour. */
export function newDraft(timezone: string): WindowDraft {
  const startsAt = `${localOf(timezone, new Date(Date.now() + hourMs)).slice(0, 13)}:00`
  return {
    name: '',
    description: '',
    startsAt,
    isPerSite: false,
    timezone,
    durationMinutes: 120,
    recurrence: plainRecurrence(startsAt),
    exDates: [],
    targets: allDevices,
    effects: defaultEffects,
    verifyReturn: true,
  }
}

/** @param fallback the zone that is offered when a window no longer uses those of the sites */
export const draftOfWindow = (window: Window, fallback: string): WindowDraft => ({
  name: window.name,
  description: window.description ?? '',
  startsAt: window.startsAt,
  isPerSite: window.timezone === 'site',
  timezone: window.timezone === 'site' ? fallback : window.timezone,
  durationMinutes: window.durationMinutes,
  recurrence: recurrenceOf(window.rrule, window.startsAt),
  exDates: window.exDates,
  targets: targetDraftOf(window),
  effects: window.effects,
  verifyReturn: window.verifyReturn,
})

/** What the draft says in a request, without its name and its owner. */
export const scheduleOf = (draft: WindowDraft) => ({
  startsAt: draft.startsAt,
  timezone: draft.isPerSite ? 'site' : draft.timezone,
  durationMinutes: draft.durationMinutes,
  rrule: ruleOf(draft.recurrence),
  exDates: [...draft.exDates],
  ...targetsOf(draft.targets),
  effects: draft.effects,
  verifyReturn: draft.verifyReturn,
})

/** Why the schedule makes no sense yet; undefined when it does. */
export function faultOfSchedule(draft: WindowDraft, fields: Fields): string | undefined {
  const { startsAt, isPerSite, timezone, durationMinutes, effects } = draft
  if (startsAt === '') return 'Enter the start'
  if (!isPerSite && !isTimezone(timezone)) return 'Select a time zone such as Europe/Zurich'
  if (!Number.isInteger(durationMinutes) || durationMinutes < 5 || durationMinutes > 10_080)
    return 'Enter a duration from 5 minutes to 7 days'
  if (Object.values(effects).every((effect) => effect === 'none')) return 'Select at least one effect'
  return faultOfRecurrence(draft.recurrence) ?? faultOfTargets(draft.targets, fields)
}
