import { onOff } from '@muster/kit/config.ts'
import { z } from 'zod'
import { type SmsSettings, smsFrom, smsSettings } from '../../platform/sms/index.ts'

declare module '../../services.ts' {
  interface Settings {
    readonly enableRegistration: boolean
    /** Whether anyone may register a partner, which then waits for approval. Default: yes. */
    readonly enablePartnerRegistration?: boolean
    /** Whether a registered partner becomes active as soon as its e-mail address is confirmed. */
    readonly autoApprovePartners?: boolean
    readonly enable2fa: boolean
    /** Null without a gateway. */
    readonly sms?: SmsSettings | null
  }
}

export const environment = {
  /** Whether anyone may create an account. */
  ENABLE_REGISTRATION: onOff(false),
  /** Whether anyone may register a partner, which then waits for approval. */
  ENABLE_PARTNER_REGISTRATION: onOff(true),
  /** Whether a registered partner becomes active with its confirmed e-mail address, without approval. */
  AUTO_APPROVE_PARTNERS: onOff(false),
  ENABLE_2FA: onOff(true),
  ...smsSettings,
}
const Given = z.object(environment)

export const settingsOf = (given: z.output<typeof Given>) => ({
  enableRegistration: given.ENABLE_REGISTRATION,
  enablePartnerRegistration: given.ENABLE_PARTNER_REGISTRATION,
  autoApprovePartners: given.AUTO_APPROVE_PARTNERS,
  enable2fa: given.ENABLE_2FA,
  sms: smsFrom(given),
})
