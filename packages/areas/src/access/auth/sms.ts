// Messages to phones, through an HTTP gateway that speaks the form most of them speak.

import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from '@muster/backplane/redis.ts'
import { badRequest, unavailable } from '@muster/kit/errors.ts'
import type { Log } from '@muster/kit/log.ts'
import { requestOutside } from '@muster/kit/outgoing.ts'
import { z } from 'zod'
import { type SmsSettings, service } from '../../services.ts'
import { type Limits, limitsOf } from './limits.ts'

interface SmsParts {
  readonly settings: SmsSettings | null
  readonly redis: Redis
  readonly limits: Limits
  readonly log: Log
  /** Whether messages are kept to be read in the outbox where there is no gateway. */
  readonly keepsUnsent: boolean
}

const Accepted = z.object({ sid: z.string().min(1) })
const triesMax = 2
const timeoutMs = 5_000
const retryMs = 400
const atOnceMax = 32

/** Where messages are kept for the outbox while there is no gateway. */
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
   * Hands a message to the gateway. Hold no transaction meanwhile: it can take seconds.
   * @throws RATE_LIMITED for a number that got too many, UNAVAILABLE when the gateway does not take it
   */
  async send(phoneNumber: string, text: string): Promise<void> {
    const { settings, limits, keepsUnsent } = this.#parts
    if (settings === null && !keepsUnsent) throw badRequest('This server cannot send SMS')
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
      this.#parts.log.warn({ err: failure.why, attempt }, 'the SMS gateway did not take a message')
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

/** @returns null when the gateway took the message, else why not and whether trying again can help */
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
      // The operator configured this address, it is not a user's; a gateway inside the own network is fine.
      ['0.0.0.0/0', '::/0'],
    )
    if (answer.status >= 200 && answer.status < 300) {
      Accepted.parse(JSON.parse(answer.body.toString('utf8')))
      return null
    }
    return { why: new Error(`status ${answer.status}`), passing: answer.status >= 500 || answer.status === 429 }
  } catch (why) {
    // A time-out may have been a success: a second message would be the lesser evil, but costs; the person can ask again.
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
