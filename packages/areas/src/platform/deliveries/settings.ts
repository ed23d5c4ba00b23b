import { privateNetworks } from '@muster/kit/config.ts'
import { z } from 'zod'
import { mailSettings } from '../mail/index.ts'
import { type SmsSettings, smsFrom, smsSettings } from '../sms/index.ts'

/** How messages leave the installation. */
export interface OutgoingSettings {
  /** Networks in CIDR form that are not public and may be reached all the same. */
  readonly allowedNetworks: readonly string[]
  readonly pagerDutyUrl: string
  /** Null without a mail server. */
  readonly smtpUrl: string | null
  readonly mailFrom: string
  /** Null without a gateway. */
  readonly sms: SmsSettings | null
  /** Whether mail without a server and SMS without a gateway are shown in the outbox. */
  readonly keepsUnsent: boolean
}

/** The settings of processes that send messages to endpoints outside. */
export const outgoingSettings = {
  /** Private networks in CIDR form, comma separated, in which webhooks and alert channels may have their endpoints. */
  OUTGOING_ALLOWED_NETWORKS: privateNetworks(),
  /** Where the Events API of PagerDuty begins; `/v2/enqueue` is appended. */
  PAGERDUTY_URL: z
    .url({ protocol: /^https?$/, error: 'should look like https://events.pagerduty.com' })
    .default('https://events.pagerduty.com'),
  SMTP_URL: mailSettings.SMTP_URL,
  MAIL_FROM: mailSettings.MAIL_FROM,
  OUTBOX_TOKEN: mailSettings.OUTBOX_TOKEN,
  ...smsSettings,
}
const Given = z.object(outgoingSettings)

export const outgoingFrom = (given: z.output<typeof Given>): OutgoingSettings => ({
  allowedNetworks: given.OUTGOING_ALLOWED_NETWORKS,
  pagerDutyUrl: given.PAGERDUTY_URL.replace(/\/+$/, ''),
  smtpUrl: given.SMTP_URL ?? null,
  mailFrom: given.MAIL_FROM,
  sms: smsFrom(given),
  keepsUnsent: given.OUTBOX_TOKEN !== undefined,
})
