// Sends codes by SMS, within the limits of each number and of the day.

import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from '@muster/backplane/redis.ts'
import { badRequest, unavailable } from '@muster/kit/errors.ts'
import type { Log } from '@muster/kit/log.ts'
import { keepSms, type SmsSettings, sendSms } from '../../platform/sms/index.ts'
import { service } from '../../services.ts'
import { type Limits, limitsOf } from './limits.ts'

interface SmsParts {
  readonly settings: SmsSettings | null
  readonly redis: Redis
  readonly limits: Limits
  readonly log: Log
  /** Whether messages are kept for the outbox when there is no gateway. */
  readonly keepsUnsent: boolean
}

const triesMax = 2
const retryMs = 400
const atOnceMax = 32

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
    if (settings === null) return keepSms(this.#parts.redis, phoneNumber, text)
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
      const failure = await sendSms(settings, phoneNumber, text)
      if (failure === null) return
      this.#parts.log.warn({ err: failure.why, attempt }, 'SMS gateway did not accept a message')
      if (!failure.passing || attempt >= triesMax) {
        throw unavailable('The SMS could not be sent. Try again shortly', 10, failure.why)
      }
      await pause(retryMs * (0.5 + Math.random()))
    }
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
