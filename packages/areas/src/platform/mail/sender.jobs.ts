// Sends the mails of the outbox through the SMTP server, with retries for two days.

import { asSystem, type Db } from '@muster/db/database.ts'
import type { Clock } from '@muster/kit/clock.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Transporter } from 'nodemailer'
import type pg from 'pg'
import { at } from '../../background/job.ts'
import { openMailData } from './outbox.ts'
import { renderMail } from './templates.ts'
import { connectMail, domainOf, isRejected } from './transport.ts'

export interface MailParts {
  readonly pool: pg.Pool
  readonly keyring: Keyring
  readonly log: Log
  readonly clock: Clock
  readonly smtpUrl: string | null
  readonly from: string
  /** Whether mail is shown in the outbox if there is no mail server. */
  readonly keepsUnsent: boolean
  /** For one step of the SMTP session. */
  readonly timeoutMs?: number
}

const batchMax = 20
/** Of one partner in a batch, so that many mails of one tenant do not delay those of another. */
const perPartnerMax = 4
/** Longer than a batch can take. A mail is retried after it if its sender died. */
const leaseMs = 300_000
const retryMinutes = [0.25, 1, 5, 15, 60, 180, 360, 720, 1440]
/** Mails whose links have expired are not sent. */
const linkLifeMs: Readonly<Record<string, number>> = { 'reset-password': 3_600_000 }

interface Due {
  readonly id: string
  readonly toAddress: string
  readonly template: string
  readonly data: Parameters<typeof openMailData>[1]
  readonly attempts: number
  readonly createdAt: string
}

export interface MailSender {
  /** Sends the mails that are due. @returns how many were attempted */
  sendDue(): Promise<number>
  close(): void
}

export function createMailSender(parts: MailParts): MailSender {
  const transport = parts.smtpUrl === null ? null : connectMail(parts.smtpUrl, parts.timeoutMs)
  return {
    async sendDue() {
      const due = await claim(parts)
      await Promise.all(due.map((mail) => attempt(parts, transport, mail)))
      return due.length
    },
    close: () => transport?.close(),
  }
}

/** Takes a lease on due mails, in a short transaction. */
const claim = ({ pool, clock }: MailParts): Promise<Due[]> =>
  asSystem(pool, async (db) => {
    const now = clock.now()
    const at = (ms: number) => new Date(ms).toISOString()
    const turns = db
      .selectFrom('mailOutbox')
      .select(['id', 'nextAttemptAt'])
      .select(sql<number>`row_number() OVER (PARTITION BY partner_id ORDER BY next_attempt_at)`.as('turn'))
      .where('sentAt', 'is', null)
      .where('failedAt', 'is', null)
      .where('nextAttemptAt', '<=', at(now))
    const ids = db
      .selectFrom(turns.as('turns'))
      .select('id')
      .where('turn', '<=', perPartnerMax)
      .orderBy('turn')
      .orderBy('nextAttemptAt')
      .limit(batchMax)
    return db
      .updateTable('mailOutbox')
      .set((eb) => ({ attempts: eb('attempts', '+', 1), nextAttemptAt: at(now + leaseMs) }))
      .where('id', 'in', unclaimed(db, ids, at(now)))
      .returning(['id', 'toAddress', 'template', 'data', 'attempts', 'createdAt'])
      .execute()
  })

const unclaimed = (db: Db, ids: SelectQueryBuilder<never, never, { id: string }>, now: string) =>
  db
    .selectFrom('mailOutbox')
    .select('id')
    .where('id', 'in', ids)
    .where('sentAt', 'is', null)
    .where('nextAttemptAt', '<=', now)
    .forUpdate()
    .skipLocked()

async function attempt(parts: MailParts, transport: Transporter | null, mail: Due): Promise<void> {
  const { clock, keyring, log } = parts
  try {
    const age = clock.now() - Date.parse(mail.createdAt)
    if (age > (linkLifeMs[mail.template] ?? Number.POSITIVE_INFINITY)) {
      return await note(parts, mail.id, { failed: true, error: 'the link in it has expired' })
    }
    const { subject, text, html } = renderMail(mail.template, openMailData(keyring, mail.data))
    if (transport === null) return await keep(parts, mail)
    await transport.sendMail({
      from: parts.from,
      to: mail.toAddress,
      subject,
      text,
      html,
      // The same for every attempt, so that mail clients recognize a mail that was sent twice.
      messageId: `<${mail.id}@${domainOf(parts.from)}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    await markSent(parts, mail.id, true)
  } catch (error) {
    const failed = isRejected(error) || mail.attempts > retryMinutes.length
    log.warn({ err: error, mail: mail.id, attempts: mail.attempts, failed }, 'a mail was not sent')
    await note(parts, mail.id, { failed, error: reasonOf(error), attempts: mail.attempts })
  }
}

/** Without a mail server, mail is shown in the outbox if it is configured. Otherwise it waits, and a gauge counts it. */
async function keep(parts: MailParts, mail: Due): Promise<void> {
  if (parts.keepsUnsent) return markSent(parts, mail.id, false)
  await note(parts, mail.id, {
    failed: false,
    error: 'no mail server is configured (SMTP_URL)',
    attempts: mail.attempts,
  })
}

/** @param forget whether to delete the content of the mail, which contains links */
const markSent = ({ pool, clock }: MailParts, id: string, forget: boolean): Promise<void> =>
  asSystem(pool, async (db) => {
    await db
      .updateTable('mailOutbox')
      .set({ sentAt: new Date(clock.now()).toISOString(), lastError: null, ...(forget ? { data: '{}' } : {}) })
      .where('id', '=', id)
      .execute()
  })

const note = (
  { pool, clock }: MailParts,
  id: string,
  { failed, error, attempts = 0 }: { failed: boolean; error: string; attempts?: number },
): Promise<void> =>
  asSystem(pool, async (db) => {
    const minutes = retryMinutes[Math.min(attempts, retryMinutes.length) - 1] ?? 0
    const wait = minutes * 60_000 * (0.5 + Math.random())
    await db
      .updateTable('mailOutbox')
      .set({
        lastError: error.slice(0, 1_000),
        nextAttemptAt: new Date(clock.now() + wait).toISOString(),
        ...(failed ? { failedAt: new Date(clock.now()).toISOString() } : {}),
      })
      .where('id', '=', id)
      .execute()
  })

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const keptDays = 30

/** Deletes mails that were sent or given up more than 30 days ago. */
export const forgetOldMail = (pool: pg.Pool): Promise<void> =>
  asSystem(pool, async (db) => {
    const old = sql<string>`now() - make_interval(days => ${keptDays})`
    await db
      .deleteFrom('mailOutbox')
      .where((eb) => eb.or([eb('sentAt', '<', old), eb('failedAt', '<', old)]))
      .execute()
  })

/** The number of waiting and failed mails, and the age of the oldest waiting one. */
export async function mailBacklog(pool: pg.Pool): Promise<{ waiting: number; oldestSeconds: number; failed: number }> {
  const { rows } = await pool.query<{ waiting: number; oldest: number; failed: number }>(
    `SELECT count(*) FILTER (WHERE failed_at IS NULL) AS waiting, count(*) FILTER (WHERE failed_at IS NOT NULL) AS failed,
            coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE failed_at IS NULL)), 0)::float8 AS oldest
     FROM mail_outbox WHERE sent_at IS NULL`,
  )
  const [row] = rows
  return { waiting: row?.waiting ?? 0, oldestSeconds: row?.oldest ?? 0, failed: row?.failed ?? 0 }
}

export const forgetMail = at('46 2 * * *', 'forget-mail', ({ pool }) => forgetOldMail(pool))
