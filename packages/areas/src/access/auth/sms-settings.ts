import { wholeNumber } from '@muster/kit/config.ts'
import { z } from 'zod'
import type { SmsSettings } from '../../services.ts'

/** The settings of a process that sends SMS, through a gateway with an API of the common form. */
export const smsSettings = {
  SMS_GATEWAY_URL: z.url({ protocol: /^https?$/, error: 'should be where the API of the gateway begins' }).optional(),
  SMS_ACCOUNT: z.string().default(''),
  SMS_TOKEN: z.string().default(''),
  /** The number or name that messages come from. */
  SMS_FROM: z.string().default(''),
  /** Messages of a day, for everybody together. */
  SMS_PER_DAY: wholeNumber(0, 1_000_000, 1_000),
}
const Given = z.object(smsSettings)

/** Null where no gateway is configured. */
export function smsFrom(given: z.output<typeof Given>): SmsSettings | null {
  const { SMS_GATEWAY_URL: baseUrl, SMS_ACCOUNT: accountId, SMS_TOKEN: token, SMS_FROM: from, SMS_PER_DAY } = given
  return baseUrl === undefined ? null : { baseUrl, accountId, token, from, perDayMax: SMS_PER_DAY }
}
