// What channels say about groups of alerts.
import type { Severity } from '../../../platform/events/severity.contract.ts'
import { flappingMinutes } from '../../alerts/index.ts'
import type { ChannelMessage } from '../../channels/index.ts'

export interface MessageAlert {
  readonly id: string
  readonly title: string
  readonly message: string
  readonly severity: Severity
  readonly status: string
  readonly flapping: boolean
  readonly openedAt: string
  readonly device: string | null
  readonly organization: string
}

/** What a message is about. */
export interface About {
  readonly count: number
  /** The worst one. */
  readonly severity: Severity
  readonly allFlap: boolean
  /** The first alerts, at most `linesMax`. */
  readonly shown: readonly MessageAlert[]
}

/** Alerts that a message names. */
export const linesMax = 20
/** A digest names as many alerts for programs. */
export const digestAlertsMax = 100
/** The worst one first. */
export const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'info']
const worstOf = (all: readonly Severity[]): Severity => severities.find((severity) => all.includes(severity)) ?? 'info'

const flappingLine = `It changes often. No other message is sent until it is stable for ${flappingMinutes} minutes.`

/** The message about alerts of one group. */
export function messageOf(
  kind: 'alert' | 'escalation' | 'resolved',
  groupId: string,
  { count, severity, allFlap, shown }: About,
  publicUrl: string,
): ChannelMessage {
  const [first] = shown
  const more = count > shown.length ? [`and ${count - shown.length} more`] : []
  const title = first === undefined ? 'Alerts' : count === 1 ? first.title : `${count} alerts: ${first.title}`
  return {
    kind,
    groupKey: groupId,
    title: title.slice(0, 500),
    severity,
    lines: [
      ...(count === 1 ? [first?.message ?? ''] : [...shown.map((alert) => alert.title), ...more]),
      ...(kind !== 'resolved' && count > 0 && allFlap ? [flappingLine] : []),
    ],
    link: count === 1 ? `${publicUrl}/alerts/${first?.id ?? ''}` : `${publicUrl}/alerts?groupId=${groupId}`,
    alerts: [...shown],
  }
}

interface Told {
  readonly id: string
  readonly groupId: string
  readonly title: string
  readonly severity: Severity
  readonly kind: string
}

/** One message in place of many to the same channel. It counts the groups that have ended. */
export function digestOf(
  told: readonly Told[],
  alerts: ReadonlyMap<string, readonly MessageAlert[]>,
  publicUrl: string,
): ChannelMessage {
  const groups = [...Map.groupBy(told, ({ groupId }) => groupId).values()].map((own) => ({
    ...{ own, title: own[0]?.title ?? '' },
    hasEnded: own.some(({ kind }) => kind === 'resolved'),
  }))
  const ended = groups.filter(({ hasEnded }) => hasEnded).length
  const isEnd = ended === groups.length
  const lines = groups.map(({ title, hasEnded }) => (hasEnded && !isEnd ? `Resolved: ${title}` : title))
  const more = lines.length > linesMax ? [`and ${lines.length - linesMax} more`] : []
  const counted = `${groups.length} ${groups.length === 1 ? 'group' : 'groups'} of alerts`
  const open = groups.filter(({ hasEnded }) => isEnd || !hasEnded)
  return {
    kind: isEnd ? 'resolved' : 'digest',
    groupKey: `digest:${told[0]?.id ?? ''}`,
    title: isEnd
      ? `${counted} ${groups.length === 1 ? 'is' : 'are'} resolved`
      : `${counted}${ended > 0 ? `, ${ended} resolved` : ''}`,
    severity: worstOf(open.flatMap(({ own }) => own.map(({ severity }) => severity))),
    lines: [...lines.slice(0, linesMax), ...more],
    link: `${publicUrl}/alerts`,
    alerts: [...alerts]
      .flatMap(([groupId, own]) => (told.some((each) => each.groupId === groupId) ? own : []))
      .slice(0, digestAlertsMax),
  }
}
