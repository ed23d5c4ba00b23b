import type { Activity, Effects } from '@muster/areas/control/maintenance/maintenance.contract.ts'
import type { Occurrence } from '@muster/areas/control/maintenance/occurrences/occurrences.contract.ts'
import { localOf } from '@muster/areas/control/maintenance/recurrence/wall-time.rules.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import { count, duration } from '../../../ui/text/quantity.ts'

export const statuses = [
  ['scheduled', 'Scheduled'],
  ['active', 'Active'],
  ['completed', 'Completed'],
  ['cancelled', 'Canceled'],
] as const
const statusWords = new Map<Occurrence['status'], string>(statuses)
const tones: Readonly<Record<Occurrence['status'], Tone>> = {
  scheduled: 'info',
  active: 'warn',
  completed: 'plain',
  cancelled: 'plain',
}

export const StatusBadge = ({ status }: Pick<Occurrence, 'status'>) => (
  <Badge tone={tones[status]}>{statusWords.get(status)}</Badge>
)

export const activities: readonly (readonly [Activity, string])[] = [
  ['alerts', 'Alerts'],
  ['scripts', 'Scripts'],
  ['patches', 'Patches'],
  ['automations', 'Automations'],
  ['agentUpdates', 'Agent updates'],
  ['software', 'Software'],
  ['reboots', 'Restarts'],
]

/** Effects in words, such as “Alerts suppressed”. */
export const effectWords = (effects: Effects): string[] =>
  activities.flatMap(([activity, label]) => {
    const effect = effects[activity]
    if (effect === 'none') return []
    return [effect === 'suppress' ? `${label} suppressed` : `${label} only in windows`]
  })

/** A time zone in words. */
export const zoneWords = (timezone: string): string => (timezone === 'site' ? 'Each site’s time zone' : timezone)

/** A length of time, such as `1 h 30 min`, without a part that is zero. */
export const lengthWords = (minutes: number): string =>
  duration(minutes * 60)
    .replace(/ 0 (h|min|s)$/, '')
    .replace(/^0 s$/, '–')

/** A time in a time zone, such as `Mon 2026-11-23 22:00 – 23:30`. */
export function rangeWords(from: string, to: string, timezone: string): string {
  const [first, last] = [localWords(from, timezone), localWords(to, timezone)]
  const isSameDay = first.slice(0, -5) === last.slice(0, -5)
  return `${first} – ${isSameDay ? last.slice(-5) : last}`
}

/** A moment in a time zone other than the user's, such as `Mon 2026-11-23 22:00`. */
export function localWords(iso: string, timezone: string): string {
  const at = new Date(iso)
  const day = new Intl.DateTimeFormat('en', { timeZone: timezone, weekday: 'short' }).format(at)
  return `${day} ${localOf(timezone, at).replace('T', ' ')}`
}

/** How often each activity was held back, such as “3 alerts”. */
export const heldBack = (suppressed: Occurrence['suppressed']): string[] =>
  activities.flatMap(([activity, label]) => {
    const times = suppressed[activity]
    return times > 0 ? [`${label} ${count(times)}`] : []
  })
