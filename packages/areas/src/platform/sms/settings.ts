import { wholeNumber } from '@muster/kit/config.ts'
import { z } from 'zod'

export interface SmsSettings {
  /** Where the gateway's API begins, for example https://api.twilio.com */
  readonly baseUrl: string
  readonly accountId: string
  readonly token: string
  /** The number or name that messages come from. */
  readonly from: string
  /** The number of messages per day for the whole installation, which bounds the cost of abuse. */
  readonly perDayMax: number
}

/** The settings for sending SMS through an HTTP gateway. */
export const smsSettings = {
  SMS_GATEWAY_URL: z.url({ protocol: /^https?$/, error: 'must be the base URL of the gateway API' }).optional(),
  SMS_ACCOUNT: z.string().default(''),
  SMS_TOKEN: z.string().default(''),
  /** The number or name that messages are sent from. */
  SMS_FROM: z.string().default(''),
  /** The number of messages per day for the whole installation. */
  SMS_PER_DAY: wholeNumber(0, 1_000_000, 1_000),
}
const Given = z.object(smsSettings)

/** Null when no gateway is configured. */
export function smsFrom(given: z.output<typeof Given>): SmsSettings | null {
  const { SMS_GATEWAY_URL: baseUrl, SMS_ACCOUNT: accountId, SMS_TOKEN: token, SMS_FROM: from, SMS_PER_DAY } = given
  return baseUrl === undefined ? null : { baseUrl, accountId, token, from, perDayMax: SMS_PER_DAY }
}
