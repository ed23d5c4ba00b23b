import type { JsonObject } from '@muster/db/json.ts'
import type { MailTemplate } from './outbox.ts'

/** What a template says: a few paragraphs, at most one link. */
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
const day = (iso: string): string => (iso === '' ? '' : `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`)

const contents: Record<MailTemplate, (data: JsonObject) => Content> = {
  invitation: (data) => ({
    // No free text: whoever invites chooses the name of the tenant, and the address may belong to a stranger.
    subject: 'You are invited to Muster',
    name: text(data, 'name'),
    paragraphs: [
      `${sender(text(data, 'invitedBy'))} invites you to ${plain(text(data, 'tenant'), 'an organization')}.`,
      `The invitation is good until ${day(text(data, 'expiresAt'))}.`,
    ],
    link: { label: 'Accept the invitation', url: text(data, 'url') },
    footnote: 'If you do not know who that is, leave it.',
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
    paragraphs: ['Somebody asked for a new password for your account.', 'The link works once, within an hour.'],
    link: { label: 'Set a new password', url: text(data, 'url') },
    footnote: 'If it was not you, leave it: without the link nothing changes.',
  }),
  'verify-email': (data) => ({
    subject: 'Confirm your email address',
    name: text(data, 'name'),
    paragraphs: ['This address was given for an account on Muster.', 'The link works once, within three days.'],
    link: { label: 'Confirm the address', url: text(data, 'url') },
    footnote: 'If it was not you, leave it.',
  }),
  'already-registered': (data) => ({
    subject: 'You have an account already',
    paragraphs: [
      'Somebody tried to register with this address, which has an account already. Nothing was changed.',
      'If it was you, sign in instead; if you do not know the password any more, ask for a new one there.',
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
    link: { label: 'Look at the partner', url: text(data, 'url') },
  }),
  'device-quarantined': (data) => ({
    subject: `A device is quarantined: ${text(data, 'device')}`,
    name: text(data, 'name'),
    paragraphs: [
      `The device ${text(data, 'device')} of ${text(data, 'organization')} is quarantined since ${day(text(data, 'at'))}: ${text(data, 'reason')}`,
      'It can neither report nor be commanded until somebody releases it. Take the copied identity off the other machine before.',
    ],
    link: { label: 'Look at the device', url: text(data, 'url') },
  }),
  'second-person-ends': (data) => ({
    subject: 'Commands are about to need no second person',
    name: text(data, 'name'),
    paragraphs: [
      `${text(data, 'by')} asked that commands which reach far take no second person any more.`,
      `This takes effect on ${day(text(data, 'endsAt'))}, or earlier if another administrator agrees. Until then any administrator can withdraw it.`,
    ],
    link: { label: 'Look at it', url: text(data, 'url') },
    footnote: 'If you did not expect this, withdraw it and end the sessions of that account.',
  }),
  'device-duplicate': (data) => ({
    subject: `Possibly the same machine twice: ${text(data, 'device')}`,
    name: text(data, 'name'),
    paragraphs: [
      `${text(data, 'device')} enrolled in ${text(data, 'organization')} at ${day(text(data, 'at'))} as a new device, but says that it is a machine that is known already.`,
      'If it was installed anew, decommission the device that it was before. If they are two machines, dismiss the notice.',
    ],
    link: { label: 'Look at the device', url: text(data, 'url') },
  }),
  notice: (data) => ({
    subject: text(data, 'what'),
    name: text(data, 'name'),
    paragraphs: [`${text(data, 'what')}, at ${day(text(data, 'at'))}.`, 'If it was you, there is nothing to do.'],
    link: { label: 'If not, look at your account', url: text(data, 'url') },
  }),
}

/** A name that somebody chose, or other words where it could pass for a message or an address of its own. */
const plain = (name: string, otherwise: string) =>
  /^[\p{L}\p{M}\p{N} .,&+()'’-]{1,100}$/u.test(name) && !/\.\p{L}{2,}|www/iu.test(name) ? name : otherwise
/** An email address, or the name of an identity provider. */
const sender = (by: string) => (/^[^\s@]+@[^\s@]+$/.test(by) ? by : plain(by, 'An administrator'))

/** Names are what somebody typed. One that could pass for a message or an address of its own is left out. */
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

/** Fills a template. Whatever stands in the data is shown as text, never as markup. */
export function renderMail(template: string, data: JsonObject): Rendered {
  const make = new Map<string, (data: JsonObject) => Content>(Object.entries(contents)).get(template)
  if (make === undefined) throw new Error(`there is no mail template ${template}`)
  const content = make(data)
  const name = content.name !== undefined && isPlainName(content.name) ? ` ${content.name}` : ''
  const greeting = `Hello${name},`
  return { subject: oneLine(content.subject), text: asText(content, greeting), html: asHtml(content, greeting) }
}
