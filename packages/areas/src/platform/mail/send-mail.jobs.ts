import { systemClock } from '@muster/kit/clock.ts'
import { gauge } from '../../background/gauge.ts'
import type { Job } from '../../background/job.ts'
import { createMailSender, mailBacklog } from './sender.jobs.ts'

const sendMs = 1_000
const measureMs = 15_000

export const mailsWaiting = gauge('mails_waiting', 'Mails that are not sent yet')
export const mailsFailed = gauge('mails_failed', 'Mails that were given up after repeated failures')
export const mailOldest = gauge('mail_oldest_seconds', 'Age of the oldest mail that is not sent yet')

/** Sends the mails of the outbox. All workers do this; each mail is sent by one of them. */
export const sendMail: Job = {
  name: 'mail',
  when: { everyMs: sendMs },
  by: 'every worker',
  begin({ pool, keyring, log, settings, set }) {
    const sender = createMailSender({ pool, keyring, log, clock: systemClock, ...settings.mail })
    let measuredAt = 0
    const send = async () => {
      await sender.sendDue()
      if (Date.now() - measuredAt < measureMs) return
      measuredAt = Date.now()
      const { waiting, failed, oldestSeconds } = await mailBacklog(pool)
      set(mailsWaiting, waiting)
      set(mailsFailed, failed)
      set(mailOldest, oldestSeconds)
    }
    return Object.assign(send, { end: () => sender.close() })
  },
}
