import { randomInt } from 'node:crypto'
import { type DownMessage, encodeDown } from '@muster/wire/down.ts'
import type { Order } from '@muster/wire/messages/order.ts'
import {
  type OrderHead,
  type OrderKeyStatement,
  orderKeyId,
  signOrderKeys,
  signOrders,
  type TrustedOrderKeys,
} from '@muster/wire/orders.ts'
import { TestGrants } from './test-grants.ts'
import { newPair, type Pair } from './test-keys.ts'

/** Signs orders as admin and worker do. */
export class TestOrders {
  readonly statements: OrderKeyStatement[]
  /** Signs grants of the scripts in its orders. */
  readonly grants = new TestGrants()
  /** Newest first. */
  #pairs: Pair[] = [newPair()]
  readonly #run = randomInt(1, 2 ** 47)
  #sequence = 0

  constructor() {
    this.statements = []
    this.#say(this.#newest)
  }

  get #newest(): Pair {
    const [newest] = this.#pairs
    if (newest === undefined) throw new Error('There is no key pair')
    return newest
  }

  get trusted(): TrustedOrderKeys {
    return { serial: this.statements.length, keys: this.#pairs.map(({ x }) => x) }
  }

  /** Adds a new signing key. */
  rotate(): OrderKeyStatement {
    const before = this.#newest
    this.#pairs = [newPair(), ...this.#pairs]
    return this.#say(before)
  }

  /** Keeps only the newest key. Returns a signer with the previous one. */
  retire(): { statement: OrderKeyStatement; retired: Pair | undefined } {
    const retired = this.#pairs[1]
    this.#pairs = [this.#newest]
    return { statement: this.#say(this.#newest), retired }
  }

  make(
    device: string,
    message: DownMessage | Uint8Array,
    changes: Partial<OrderHead> = {},
    by: Pair = this.#newest,
  ): Order {
    const frame = message instanceof Uint8Array ? message : encodeDown(this.#granted(device, message))
    const issuedAt = Date.now()
    const sequence = ++this.#sequence
    const head = { device, run: this.#run, sequence, issuedAt, expiresAt: issuedAt + 600_000, ...changes }
    const [proof] = signOrders([{ head, frame }], by.key)
    if (proof === undefined) throw new Error('signOrders returned no proof')
    return { ...head, ...proof, key: orderKeyId(by.x), frame }
  }

  /** The message with a grant, if it runs a script and has none. */
  #granted(device: string, message: DownMessage): DownMessage {
    if (message.name !== 'command' || message.body.grant !== undefined) return message
    const grant = this.grants.of(device, message.body)
    return grant === undefined ? message : { ...message, body: { ...message.body, grant } }
  }

  #say(by: Pair): OrderKeyStatement {
    const keys = this.#pairs.map(({ x }) => x)
    const statement = signOrderKeys({ serial: this.statements.length + 1, keys }, by)
    this.statements.push(statement)
    return statement
  }
}
