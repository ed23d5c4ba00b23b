import type { JsonObject } from '@muster/db/json.ts'
import type { MailTemplate } from './outbox.ts'

/** The content of a template: some paragraphs and at most one link. */
interface Content {
  readonly subject: string
  readonly name?: string
  readonly paragraphs: readonly string[]
  readonly link?: { readonly label: string; readonly url: string }
  readonly footnote?: string
}

const text = (data: JsonObject, field: string): string => {
  const value = data[field]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
const texts = (data: JsonObject, field: string): string[] => {
  const value = data[field]
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : []
}
const day = (iso: string): string => (iso === '' ? '' : `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`)

const contents: Record<MailTemplate, (data: JsonObject) => Content> = {
  invitation: (data) => ({
    // No free text: the inviter chooses the name of the tenant, and the address may belong to a stranger.
    subject: 'You are invited to Muster',
    name: text(data, 'name'),
    paragraphs: [
      `${sender(text(data, 'invitedBy'))} invites you to ${plain(text(data, 'tenant'), 'an organization')}.`,
      `The invitation expires on ${day(text(data, 'expiresAt'))}.`,
    ],
    link: { label: 'Accept the invitation', url: text(data, 'url') },
    footnote: 'If you do not know the sender, ignore this message.',
  }),
  'access-review-reminder': (data) => ({
    subject: `Access review due: ${text(data, 'review')}`,
    name: text(data, 'name'),
    paragraphs: [`The access review "${text(data, 'review')}" is due on ${day(text(data, 'dueAt'))}.`],
    link: { label: 'Open the review', url: text(data, 'url') },
  }),
  'access-review-overdue': (data) => ({
    subject: `Access review overdue: ${text(data, 'review')}`,
    name: text(data, 'name'),
    paragraphs: [
      `The access review "${text(data, 'review')}" was due on ${day(text(data, 'dueAt'))} and is still open.`,
    ],
    link: { label: 'Open the review', url: text(data, 'url') },
  }),
  'reset-password': (data) => ({
    subject: 'Set a new password',
    name: text(data, 'name'),
    paragraphs: ['A new password was requested for your account.', 'The link works once, within an hour.'],
    link: { label: 'Set a new password', url: text(data, 'url') },
    footnote: 'If you did not request it, ignore this message. Your password stays the same.',
  }),
  'verify-email': (data) => ({
    subject: 'Confirm your email address',
    name: text(data, 'name'),
    paragraphs: ['This address was used to register an account on Muster.', 'The link works once, within three days.'],
    link: { label: 'Confirm the address', url: text(data, 'url') },
    footnote: 'If you did not register, ignore this message.',
  }),
  'already-registered': (data) => ({
    subject: 'You have an account already',
    paragraphs: [
      'Someone tried to register with this address, which already has an account. Nothing was changed.',
      'If it was you, sign in instead. If you forgot your password, request a new one on the sign-in page.',
    ],
    link: { label: 'Sign in', url: text(data, 'url') },
  }),
  'partner-waiting': (data) => ({
    subject: 'A partner waits for approval',
    name: text(data, 'name'),
    paragraphs: [
      `${plain(text(data, 'partner'), 'A partner')} has registered and waits for approval.`,
      `The address of the contact is confirmed: ${text(data, 'contact')}`,
    ],
    link: { label: 'Show the partner', url: text(data, 'url') },
  }),
  'device-quarantined': (data) => ({
    subject: `A device is quarantined: ${text(data, 'device')}`,
    name: text(data, 'name'),
    paragraphs: [
      `The device ${text(data, 'device')} of ${text(data, 'organization')} is quarantined since ${day(text(data, 'at'))}: ${text(data, 'reason')}`,
      'It cannot report or receive commands until an administrator releases it. Remove the copied identity from the other machine first.',
    ],
    link: { label: 'Show the device', url: text(data, 'url') },
  }),
  'second-person-ends': (data) => ({
    subject: 'Commands will soon no longer require a second person',
    name: text(data, 'name'),
    paragraphs: [
      `${text(data, 'by')} requested that commands beyond the blast radius no longer require a second person.`,
      `This takes effect on ${day(text(data, 'endsAt'))}, or earlier if another administrator agrees. Until then any administrator can withdraw it.`,
    ],
    link: { label: 'Look at it', url: text(data, 'url') },
    footnote: 'If you did not expect this, withdraw the request and end the sessions of that account.',
  }),
  'device-duplicate': (data) => ({
    subject: `Possible duplicate device: ${text(data, 'device')}`,
    name: text(data, 'name'),
    paragraphs: [
      `${text(data, 'device')} enrolled in ${text(data, 'organization')} at ${day(text(data, 'at'))} as a new device, but has the machine ID of a known device.`,
      'If the machine was reinstalled, decommission the old device. If they are two machines, dismiss the notice.',
    ],
    link: { label: 'Show the device', url: text(data, 'url') },
  }),
  'webhook-disabled': (data) => ({
    subject: `Webhook disabled: ${text(data, 'webhook')}`,
    name: text(data, 'name'),
    paragraphs: [
      `Muster no longer sends events to the webhook "${text(data, 'webhook')}". ${text(data, 'reason')}.`,
      'Its deliveries are kept for 30 days. Enable the webhook and replay them.',
    ],
    link: { label: 'Show the webhook', url: text(data, 'url') },
  }),
  alert: (data) => ({
    subject: text(data, 'subject'),
    paragraphs: [text(data, 'subject'), ...texts(data, 'lines')],
    ...(text(data, 'url') === '' ? {} : { link: { label: 'Open in Muster', url: text(data, 'url') } }),
  }),
  notice: (data) => ({
    subject: text(data, 'what'),
    name: text(data, 'name'),
    paragraphs: [`${text(data, 'what')}, at ${day(text(data, 'at'))}.`, 'If it was you, no action is needed.'],
    link: { label: 'If it was not you, check your account', url: text(data, 'url') },
  }),
}

/** A name that a user chose, or other words when the name could pass for a message or a URL. */
const plain = (name: string, otherwise: string) =>
  /^[\p{L}\p{M}\p{N} .,&+()'’-]{1,100}$/u.test(name) && !/\.\p{L}{2,}|www/iu.test(name) ? name : otherwise
/** An email address, or the name of an identity provider. */
const sender = (by: string) => (/^[^\s@]+@[^\s@]+$/.test(by) ? by : plain(by, 'An administrator'))

/** Users choose names freely. A name that could pass for a message or a URL is left out. */
const isPlainName = (name: string) => /^[\p{L}\p{M}\p{N} .'’-]{1,60}$/u.test(name) && !/\.\p{L}{2,}|www/iu.test(name)

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (plain: string) => plain.replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? sign)
const oneLine = (plain: string) => plain.replaceAll(/\s+/g, ' ').trim()

function asText({ paragraphs, link, footnote }: Content, greeting: string): string {
  const parts = [greeting, ...paragraphs.map(oneLine), ...(link === undefined ? [] : [`${link.label}:\n${link.url}`])]
  return `${[...parts, ...(footnote === undefined ? [] : [footnote])].join('\n\n')}\n`
}

function asHtml({ subject, paragraphs, link, footnote }: Content, greeting: string): string {
  const body = [greeting, ...paragraphs].map((line) => `<p>${escaped(oneLine(line))}</p>`)
  if (link !== undefined) {
    const style =
      'display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;color:#fff;text-decoration:none'
    const url = escaped(link.url)
    body.push(`<p><a href="${url}" style="${style}">${escaped(link.label)}</a></p>`)
    body.push(`<p style="color:#555;font-size:13px">Or open this address:<br>${url}</p>`)
  }
  if (footnote !== undefined) body.push(`<p style="color:#555;font-size:13px">${escaped(footnote)}</p>`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(oneLine(subject))}</title></head>
<body style="font:15px/1.5 system-ui,sans-serif;color:#111;max-width:34rem;margin:2rem auto;padding:0 1rem">
${body.join('\n')}
</body></html>
`
}

export interface Rendered {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Renders a template. Data is shown as text, never as markup. */
export function renderMail(template: string, data: JsonObject): Rendered {
  const make = new Map<string, (data: JsonObject) => Content>(Object.entries(contents)).get(template)
  if (make === undefined) throw new Error(`unknown mail template: ${template}`)
  const content = make(data)
  const name = content.name !== undefined && isPlainName(content.name) ? ` ${content.name}` : ''
  const greeting = `Hello${name},`
  return { subject: oneLine(content.subject), text: asText(content, greeting), html: asHtml(content, greeting) }
}
