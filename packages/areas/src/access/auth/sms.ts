// Sends SMS through an HTTP gateway with the API form that most gateways share.

import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from '@muster/backplane/redis.ts'
import { badRequest, unavailable } from '@muster/kit/errors.ts'
import type { Log } from '@muster/kit/log.ts'
import { requestOutside } from '@muster/kit/outgoing.ts'
import { z } from 'zod'
import { service } from '../../services.ts'
import { type Limits, limitsOf } from './limits.ts'
import type { SmsSettings } from './sms-settings.ts'

interface SmsParts {
  readonly settings: SmsSettings | null
  readonly redis: Redis
  readonly limits: Limits
  readonly log: Log
  /** Whether messages are kept for the outbox when there is no gateway. */
  readonly keepsUnsent: boolean
}

const Accepted = z.object({ sid: z.string().min(1) })
const triesMax = 2
const timeoutMs = 5_000
const retryMs = 400
const atOnceMax = 32

/** The Redis key of messages kept for the outbox. */
export const devSmsKey = 'dev:sms'
const devSmsMax = 50
const daySeconds = 86_400

export class Sms {
  readonly #parts: SmsParts
  #underway = 0

  constructor(parts: SmsParts) {
    this.#parts = parts
  }

  /**
   * Sends a message through the gateway. It can take seconds, so do not hold a transaction meanwhile.
   * @throws RATE_LIMITED for a number with too many messages; UNAVAILABLE when the gateway does not accept it
   */
  async send(phoneNumber: string, text: string): Promise<void> {
    const { settings, limits, keepsUnsent } = this.#parts
    if (settings === null && !keepsUnsent)
      throw badRequest('This server cannot send SMS. Use an authenticator app or a passkey')
    await limits.take('smsPerPhoneAndDay', phoneNumber)
    if (settings === null) return this.#keep(phoneNumber, text)
    const allowance = { points: settings.perDayMax, seconds: daySeconds }
    await limits.takeFrom('smsPerDay', 'all', allowance).catch((refused: unknown) => {
      throw unavailable('No more SMS can be sent today', 3600, refused)
    })
    if (this.#underway >= atOnceMax) throw unavailable('Too many SMS at once', 2)
    this.#underway += 1
    try {
      await this.#deliver(settings, phoneNumber, text)
    } finally {
      this.#underway -= 1
    }
  }

  async #deliver(settings: SmsSettings, phoneNumber: string, text: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const failure = await tryOnce(settings, phoneNumber, text)
      if (failure === null) return
      this.#parts.log.warn({ err: failure.why, attempt }, 'SMS gateway did not accept a message')
      if (!failure.passing || attempt >= triesMax) {
        throw unavailable('The SMS could not be sent. Try again shortly', 10, failure.why)
      }
      await pause(retryMs * (0.5 + Math.random()))
    }
  }

  async #keep(phoneNumber: string, text: string): Promise<void> {
    const entry = JSON.stringify({ to: phoneNumber, text, at: new Date().toISOString() })
    const { redis } = this.#parts
    await redis
      .multi()
      .lpush(devSmsKey, entry)
      .ltrim(devSmsKey, 0, devSmsMax - 1)
      .expire(devSmsKey, daySeconds)
      .exec()
  }
}

/** @returns null when the gateway accepted the message, else the cause and whether a retry can help */
async function tryOnce(
  { baseUrl, accountId, token, from }: SmsSettings,
  phoneNumber: string,
  text: string,
): Promise<{ why: unknown; passing: boolean } | null> {
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
    return { why: new Error(`status ${answer.status}`), passing: answer.status >= 500 || answer.status === 429 }
  } catch (why) {
    // After a time-out the message may have been sent. A retry could cost a second message, and the user can ask again.
    const passing = !(why instanceof Error && /timeout|aborted/i.test(`${why.name} ${why.message}`))
    return { why, passing: passing && !(why instanceof z.ZodError || why instanceof SyntaxError) }
  }
}

export const smsOf = service(
  (core) =>
    new Sms({
      settings: core.settings.sms ?? null,
      redis: core.redis,
      limits: limitsOf({ core }),
      log: core.log,
      keepsUnsent: Boolean(core.settings.outboxToken),
    }),
)
