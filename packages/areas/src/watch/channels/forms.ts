// The form in which each service wants a message.
import type { JsonObject } from '@muster/db/json.ts'
import type { Severity } from '../../platform/events/severity.contract.ts'
import { type ChannelMessage, headline } from './message.ts'

const cut = (text: string, max: number) => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

const slackHeaderMax = 150
const slackTextMax = 2_900
const slackEscapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const slackText = (text: string) => text.replaceAll(/[&<>]/g, (sign) => slackEscapes[sign] ?? sign)

/** Text is shown as it is: `<!channel>` in the name of a device calls no one. */
export function slackForm(message: ChannelMessage): JsonObject {
  const lines = cut(message.lines.map(slackText).join('\n'), slackTextMax)
  return {
    text: slackText(headline(message)),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headline(message, slackHeaderMax), emoji: false } },
      ...(lines === '' ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: lines, verbatim: true } }]),
      ...(message.link === null
        ? []
        : [
            {
              type: 'actions',
              elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open in Muster' }, url: message.link }],
            },
          ]),
    ],
  }
}

const teamsBytesMax = 20_000
/** Teams reads Markdown: a link in the name of a device must stay text. */
const teamsText = (text: string) => text.replaceAll(/[\\`*_{}[\]()#+!|<>~-]/g, '\\$&')
const colors: Record<Severity, string> = {
  critical: 'Attention',
  high: 'Attention',
  medium: 'Warning',
  low: 'Accent',
  info: 'Default',
}

export function teamsForm(message: ChannelMessage): JsonObject {
  for (let shown = message.lines.length; ; shown = Math.floor(shown / 2)) {
    const form = teamsCard(message, shown)
    if (shown === 0 || Buffer.byteLength(JSON.stringify(form)) <= teamsBytesMax) return form
  }
}

function teamsCard(message: ChannelMessage, shown: number): JsonObject {
  const { kind, lines, link, severity } = message
  const left = lines.length - shown
  const text = lines.slice(0, shown).map((line) => cut(line, 1_000))
  if (left > 0) text.push(`and ${left} more`)
  const content: JsonObject = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      {
        type: 'TextBlock',
        text: teamsText(headline(message, 200)),
        weight: 'Bolder',
        size: 'Medium',
        wrap: true,
        color: kind === 'resolved' ? 'Good' : colors[severity],
      },
      ...text.map((line) => ({ type: 'TextBlock', text: teamsText(line), wrap: true, spacing: 'Small' })),
    ],
    actions: link === null ? [] : [{ type: 'Action.OpenUrl', title: 'Open in Muster', url: link }],
  }
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
  return { type: 'message', attachments: [attachment] }
}

const pagerSeverity: Record<Severity, string> = {
  critical: 'critical',
  high: 'error',
  medium: 'warning',
  low: 'info',
  info: 'info',
}

export const pagerDutyForm = (message: ChannelMessage, routingKey: string, publicUrl: string): JsonObject => ({
  routing_key: routingKey,
  event_action: message.kind === 'resolved' ? 'resolve' : 'trigger',
  dedup_key: cut(message.groupKey, 255),
  client: 'Muster',
  client_url: message.link ?? publicUrl,
  payload: {
    summary: cut(message.title, 1_024),
    source: message.alerts[0]?.device ?? message.alerts[0]?.organization ?? 'Muster',
    severity: pagerSeverity[message.severity],
    custom_details: { lines: message.lines.slice(0, 50).map((line) => cut(line, 500)), alerts: message.alerts.length },
  },
})

export interface MailForm {
  readonly subject: string
  readonly data: JsonObject
}

export const mailForm = (message: ChannelMessage): MailForm => ({
  subject: headline(message, 200),
  data: { subject: headline(message, 200), lines: [...message.lines], url: message.link ?? '' },
})

export const smsForm = (message: ChannelMessage): string => {
  const link = message.link === null ? '' : `\n${message.link}`
  return `${headline(message)}${link}`
}
