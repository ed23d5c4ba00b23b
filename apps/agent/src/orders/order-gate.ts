import type { DownMessage } from '@muster/wire/down.ts'
import { WireError } from '@muster/wire/frame.ts'
import type { Order } from '@muster/wire/messages/order.ts'
import type { OrderFault, OrderRefusal } from '@muster/wire/messages/refusal.ts'
import { isSignedBy, messageIn, type OrderKeyStatement } from '@muster/wire/orders.ts'
import { Allowance } from '../allowance.ts'
import { fullJitter } from '../backoff.ts'
import { grantQuestionRates, orderKeysAskMs, orderKeysRetryMaxMs, refusalRates, retryWindowFirstMs } from '../limits.ts'
import type { Log } from '../log.ts'
import { pause } from '../pause.ts'
import type { GrantKeysAnswer, OrderKeysAnswer } from './administration.ts'
import { OrderClock } from './order-clock.ts'
import type { OrderKeys } from './order-keys.ts'
import type { OrderMemory } from './order-memory.ts'

export interface Refused extends OrderRefusal {
  /** The refused message, if it can be decoded. */
  message: DownMessage | undefined
}

export interface OrderGateOptions {
  deviceId: () => string
  keys: OrderKeys
  /** Those that sign grants of scripts; undefined in a process that runs none. */
  grantKeys?: OrderKeys
  memory: OrderMemory
  /** Asks the administration server; undefined in a process that does not ask. */
  ask: (() => Promise<OrderKeysAnswer>) | undefined
  obey(message: DownMessage): void
  refused(refusal: Refused): void
  log: Log
}

const words: Readonly<Record<OrderFault, string>> = {
  ORDER_UNSIGNED: 'it was not signed',
  ORDER_MALFORMED: 'it cannot be decoded',
  ORDER_FOREIGN: 'it is for another device',
  ORDER_KEY_UNKNOWN: 'its signing key is not trusted',
  ORDER_SIGNATURE_INVALID: 'its signature is invalid',
  ORDER_EXPIRED: 'it has expired',
  ORDER_REPLAYED: 'it was executed before',
}

/** Checks everything with power over the machine: only a valid order for this device, not expired and not replayed, passes. */
export class OrderGate {
  readonly #options: OrderGateOptions
  readonly #clock = new OrderClock()
  readonly #answers: Allowance
  readonly #questions: Allowance
  #turn: Promise<void> = Promise.resolve()
  #waiting = 0
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(options: OrderGateOptions) {
    this.#options = options
    this.#answers = new Allowance(refusalRates, performance.now.bind(performance))
    this.#questions = new Allowance(grantQuestionRates, performance.now.bind(performance))
  }

  /** Handles an order. Orders are checked one after another, so that they take effect in the order of arrival. */
  receive(order: Order): void {
    if (this.#waiting === 0) {
      const fault = this.#judge(order)
      if (fault === undefined || !this.#isDoubtful(fault)) {
        this.#end(order, fault)
        return
      }
    }
    this.#waiting++
    this.#turn = this.#turn.then(() => this.#judgeTwice(order)).finally(() => this.#waiting--)
  }

  /** Refuses a message that is valid only inside an order. */
  refuseUnsigned(type: number, message: DownMessage): void {
    this.#refuse('ORDER_UNSIGNED', type, message)
  }

  /** Handles statements from any source: they count as far as trusted keys signed them. */
  async learn(statements: readonly OrderKeyStatement[]): Promise<void> {
    const { keys, log } = this.#options
    if (await keys.follow(statements)) log.info(`adopted new order keys (statement ${keys.serial})`)
  }

  /** The time for deciding whether something signed has expired: never before the newest obeyed order. */
  now(): number {
    return Math.max(this.#options.memory.floor, this.#clock.now())
  }

  /** An agent that enrolled before signed orders or grants existed requests the keys, and retries while it is connected. */
  async fetchMissingKeys(stopping: AbortSignal): Promise<void> {
    const { keys, grantKeys = keys } = this.#options
    const isMissing = () => keys.serial === undefined || grantKeys.serial === undefined
    if (!isMissing() || (await this.askServer())) return
    const retry = async () => {
      for (let failures = 0; isMissing(); failures++) {
        await pause(
          fullJitter(Math.min(orderKeysRetryMaxMs, retryWindowFirstMs * 2 ** failures), Math.random),
          stopping,
        )
        // An older server answers without keys of grants.
        if (await this.askServer()) return
      }
    }
    // It ends with the agent.
    retry().catch(() => undefined)
  }

  /** Fetches the keys, if there are none yet, and the time. @returns whether the administration server answered */
  async askServer(): Promise<boolean> {
    const { ask, keys, grantKeys, log } = this.#options
    if (ask === undefined) {
      await keys.read()
      return true
    }
    this.#askedAt = performance.now()
    try {
      const { serial, keys: named, statements, serverTime, grantKeys: granting } = await ask()
      this.#clock.learn(serverTime)
      if (keys.serial === undefined) await keys.pin({ serial, keys: named })
      else await this.learn(statements)
      if (grantKeys !== undefined && granting !== undefined) await this.#adopt(grantKeys, granting)
      return true
    } catch (error) {
      log.warn(
        `cannot fetch the keys of orders and scripts from the server: ${error instanceof Error ? error.message : error}`,
      )
      return false
    }
  }

  /** Asks the administration server for keys of grants, unless grants made it ask too often. */
  async askForGrant(): Promise<void> {
    if (this.#questions.take(0)) await this.askServer()
  }

  async #adopt(grantKeys: OrderKeys, { serial, keys, statements }: GrantKeysAnswer): Promise<void> {
    if (grantKeys.serial === undefined) await grantKeys.pin({ serial, keys })
    else if (await grantKeys.follow(statements))
      this.#options.log.info(`adopted new keys of script grants (statement ${grantKeys.serial})`)
  }

  #judge(order: Order): OrderFault | undefined {
    const { deviceId, keys, memory } = this.#options
    if (order.device !== deviceId()) return 'ORDER_FOREIGN'
    const key = keys.find(order.key)
    if (key === undefined) return 'ORDER_KEY_UNKNOWN'
    if (!isSignedBy(order, key)) return 'ORDER_SIGNATURE_INVALID'
    if (memory.has(order)) return 'ORDER_REPLAYED'
    return order.expiresAt <= this.now() ? 'ORDER_EXPIRED' : undefined
  }

  get #mayAsk(): boolean {
    return performance.now() - this.#askedAt >= orderKeysAskMs
  }

  /** Whether asking the administration server could change the decision. */
  #isDoubtful(fault: OrderFault): boolean {
    return this.#mayAsk && (fault === 'ORDER_KEY_UNKNOWN' || fault === 'ORDER_EXPIRED')
  }

  async #judgeTwice(order: Order): Promise<void> {
    let fault = this.#judge(order)
    if (fault !== undefined && this.#isDoubtful(fault) && (await this.askServer())) fault = this.#judge(order)
    this.#end(order, fault)
  }

  #end(order: Order, fault: OrderFault | undefined): void {
    const type = order.frame[1] ?? 0
    const message = messageOf(order)
    if (fault !== undefined) this.#refuse(fault, type, message)
    else if (message === undefined) this.#refuse('ORDER_MALFORMED', type, undefined)
    else {
      this.#options.memory.add(order, this.#clock.now())
      this.#options.obey(message)
    }
  }

  #refuse(code: OrderFault, type: number, message: DownMessage | undefined): void {
    // A flood of refused messages must not become a flood of answers.
    if (!this.#answers.take(0)) return
    const commandId = message?.name === 'command' ? { commandId: message.body.id } : {}
    this.#options.log.warn(`refused ${message?.name ?? `a frame of type ${type}`}: ${words[code]}`, {
      code,
      ...commandId,
    })
    this.#options.refused({ code, type: type & 0x7f, ...commandId, detail: words[code], message })
  }
}

function messageOf(order: Order): DownMessage | undefined {
  try {
    return messageIn(order)
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}
