import { openMailData } from '@muster/areas/platform/mail/outbox.ts'
import { testServices } from './services.ts'

/** A mail in the outbox, with readable links. */
export interface OutboxMail {
  readonly template: string
  readonly partner_id: string | null
  readonly org_id: string | null
  readonly data: Readonly<Record<string, string>>
}

/** The mails to an address, oldest first. */
export async function mailsTo(email: string): Promise<OutboxMail[]> {
  const { system, keyring } = await testServices()
  const { rows } = await system.query('SELECT * FROM mail_outbox WHERE to_address = $1 ORDER BY created_at', [email])
  return rows.map((row) => ({ ...row, data: openMailData(keyring, row.data) }))
}

/** The mails of a template, to all recipients. */
export async function mailsFrom(template: string): Promise<OutboxMail[]> {
  const { system, keyring } = await testServices()
  const { rows } = await system.query('SELECT * FROM mail_outbox WHERE template = $1 ORDER BY created_at', [template])
  return rows.map((row) => ({ ...row, data: openMailData(keyring, row.data) }))
}

/** The token of the link in the newest mail to an address; empty when there is none. */
export async function tokenMailedTo(email: string): Promise<string> {
  const url = (await mailsTo(email)).at(-1)?.data.url ?? ''
  return url.split('#token=')[1] ?? ''
}
