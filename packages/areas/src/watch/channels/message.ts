import { z } from 'zod'
import { Severity } from '../../platform/events/severity.contract.ts'

/** What a channel tells. Each type of channel gives it its own form. */
export const ChannelMessage = z.object({
  kind: z.enum(['alert', 'resolved', 'digest', 'test', 'escalation']),
  /** Names the alert group: later messages about it belong to the first one. */
  groupKey: z.string(),
  title: z.string(),
  severity: Severity,
  lines: z.array(z.string()),
  /** The page of the console that shows it. */
  link: z.string().nullable(),
  alerts: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      severity: Severity,
      status: z.string(),
      openedAt: z.string(),
      device: z.string().nullable().default(null),
      organization: z.string().nullable().default(null),
    }),
  ),
})
export type ChannelMessage = z.output<typeof ChannelMessage>

const shortMax = 140

/** One line, for where nothing else fits. */
export function headline({ kind, severity, title }: ChannelMessage, max = shortMax): string {
  const mark = kind === 'resolved' ? 'Resolved' : kind === 'test' ? 'Test' : severity
  const text = `[${mark}] ${title}`.replaceAll(/\s+/g, ' ')
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`
}

export const testMessage = (channelName: string, id: string, publicUrl: string): ChannelMessage => ({
  kind: 'test',
  groupKey: `test:${id}`,
  title: `Muster can reach the channel ${channelName}`,
  severity: 'info',
  lines: ['This is a test. No alert is open because of it.'],
  link: `${publicUrl}/alerts/channels`,
  alerts: [],
})
