import { createMailSender, type MailSender, mailBacklog } from '@muster/areas/platform/mail/sender.jobs.ts'
import { systemClock } from '@muster/kit/clock.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Service } from '@muster/kit/service.ts'
import type pg from 'pg'
import type { WorkerSettings } from '../config.ts'
import { mailBacklogMs, mailMs } from '../limits.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { periodic } from './periodic.ts'

export interface MailServiceParts {
  pool: pg.Pool
  keyring: Keyring
  log: Log
  metrics: WorkerMetrics
  settings: Pick<WorkerSettings, 'SMTP_URL' | 'MAIL_FROM' | 'OUTBOX_TOKEN'>
}

/** Sends the mails of the outbox. All workers do this; each mail is sent by one of them. */
export function createMail({ pool, keyring, log, metrics, settings }: MailServiceParts): Service {
  const sender: MailSender = createMailSender({
    pool,
    keyring,
    log,
    clock: systemClock,
    smtpUrl: settings.SMTP_URL ?? null,
    from: settings.MAIL_FROM,
    keepsUnsent: settings.OUTBOX_TOKEN !== undefined,
  })
  let measuredAt = 0
  const sending = periodic('mail', mailMs, log, async () => {
    await sender.sendDue()
    if (Date.now() - measuredAt < mailBacklogMs) return
    measuredAt = Date.now()
    const { waiting, failed, oldestSeconds } = await mailBacklog(pool)
    metrics.mailsWaiting.set(waiting)
    metrics.mailsFailed.set(failed)
    metrics.mailOldest.set(oldestSeconds)
  })
  return {
    ...sending,
    async stop() {
      sender.close()
    },
  }
}
