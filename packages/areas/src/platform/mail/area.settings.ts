import { onOff } from '@muster/kit/config.ts'
import { z } from 'zod'
import { mailSettings, outboxToken } from './settings.ts'

declare module '../../services.ts' {
  interface Settings {
    /** The secret part of the outbox's address; without one there is no outbox. */
    readonly outboxToken?: string | null
    /**
     * Whether a worker has a mail server. Default: yes. Without one, the administrator who requests an invitation or a reset gets
     * its link in the response.
     */
    readonly mailServer?: boolean
  }
}
declare module '../../background/worker-parts.ts' {
  interface BackgroundSettings {
    readonly mail: {
      /** Null without a mail server. */
      readonly smtpUrl: string | null
      readonly from: string
      /** Whether mail is shown in the outbox if there is no mail server. */
      readonly keepsUnsent: boolean
    }
  }
}

export const environment = {
  /** Whether a worker has a mail server. Without one, links of invitations and resets are shown to the administrator. */
  MAIL_SERVER: onOff(true),
  OUTBOX_TOKEN: outboxToken(),
}
const Given = z.object(environment)

export const settingsOf = (given: z.output<typeof Given>) => ({
  mailServer: given.MAIL_SERVER,
  outboxToken: given.OUTBOX_TOKEN ?? null,
})

export const workerEnvironment = mailSettings
const GivenToWorker = z.object(workerEnvironment)

export const workerSettingsOf = (given: z.output<typeof GivenToWorker>) => ({
  mail: {
    smtpUrl: given.SMTP_URL ?? null,
    from: given.MAIL_FROM,
    keepsUnsent: given.OUTBOX_TOKEN !== undefined,
  },
})
