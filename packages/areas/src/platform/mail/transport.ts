import type { JsonObject } from '@muster/db/json.ts'
import { createTransport, type Transporter } from 'nodemailer'
import type { MailTemplate } from './outbox.ts'
import { renderMail } from './templates.ts'

const connectionsMax = 4
const smtpTimeoutMs = 10_000

/** @param timeoutMs for one step of the SMTP session */
export function connectMail(url: string, timeoutMs = smtpTimeoutMs): Transporter {
  return createTransport({
    url,
    pool: true,
    maxConnections: connectionsMax,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Mail content must never make the sender read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** The mail server and the sender's address, for mails whose result the caller waits for. */
export interface MailTransport {
  readonly transporter: Transporter
  readonly from: string
}

export const createMailTransport = (url: string, from: string): MailTransport => ({
  transporter: connectMail(url),
  from,
})

interface DirectMail {
  readonly to: readonly string[]
  readonly template: MailTemplate
  readonly data: JsonObject
  /** The same for each try, so that a mail that arrives twice is recognized. */
  readonly id: string
}

export interface MailFailure {
  readonly error: string
  /** The server rejected the mail itself. */
  readonly isFinal: boolean
}

/** Hands a mail to the mail server, without the outbox. @returns null if the server accepted it */
export async function sendMail(
  { transporter, from }: MailTransport,
  { to, template, data, id }: DirectMail,
): Promise<MailFailure | null> {
  const messageId = `<${id.replaceAll(/[^\w.-]/g, '.')}@${domainOf(from)}>`
  try {
    const headers = { 'Auto-Submitted': 'auto-generated' }
    await transporter.sendMail({ from, to: [...to], ...renderMail(template, data), messageId, headers })
    return null
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), isFinal: isRejected(error) }
  }
}

/** The domain of the sender's address, for message IDs. */
export const domainOf = (from: string): string => /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost'

/** Whether the server rejected the mail permanently. Failed logins and server errors are not the fault of the mail. */
export function isRejected(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  const status = 'responseCode' in error ? Number(error.responseCode) : 0
  return (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && status >= 500 && status < 600
}
