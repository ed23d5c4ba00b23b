// Sends one SMS through an HTTP gateway with the API form that most gateways share.
import { requestOutside } from '@muster/kit/network/outgoing.ts'
import { z } from 'zod'
import type { SmsSettings } from './settings.ts'

const Accepted = z.object({ sid: z.string().min(1) })
const timeoutMs = 5_000

export interface SmsFailure {
  readonly why: unknown
  /** Whether a retry can help. */
  readonly passing: boolean
  readonly status?: number
  /** No answer came in time: the message may have been sent. */
  readonly isUnanswered?: boolean
}

/** @returns null when the gateway accepted the message, else the cause and whether a retry can help */
export async function sendSms(
  { baseUrl, accountId, token, from }: SmsSettings,
  phoneNumber: string,
  text: string,
): Promise<SmsFailure | null> {
  const url = `${baseUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(accountId)}/Messages.json`
  try {
    const answer = await requestOutside(
      url,
      {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${accountId}:${token}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        },
        body: new URLSearchParams({ To: phoneNumber, From: from, Body: text }).toString(),
        timeoutMs,
        bytesMax: 65_536,
      },
      // The operator configured this URL, so a gateway in the internal network is allowed.
      ['0.0.0.0/0', '::/0'],
    )
    if (answer.status >= 200 && answer.status < 300) {
      Accepted.parse(JSON.parse(answer.body.toString('utf8')))
      return null
    }
    return {
      why: new Error(`status ${answer.status}`),
      passing: answer.status >= 500 || answer.status === 429,
      status: answer.status,
    }
  } catch (why) {
    // After a time-out the message may have been sent. A retry could cost a second message, and the user can ask again.
    const isUnanswered = why instanceof Error && /timeout|aborted/i.test(`${why.name} ${why.message}`)
    return { why, passing: !(isUnanswered || why instanceof z.ZodError || why instanceof SyntaxError), isUnanswered }
  }
}
