import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import {
  afterStatements,
  type OrderKeyStatement,
  orderKeyId,
  orderKeyOf,
  type StatementPurpose,
  type TrustedOrderKeys,
} from '@muster/wire/orders.ts'
import { z } from 'zod'
import { readIfPresent, writeDurably } from '../durable-file.ts'

const files: Readonly<Record<StatementPurpose, string>> = { orders: 'order-keys.json', grants: 'grant-keys.json' }

/** Raw public keys, base64url, and the number of the statement that named them. */
export const Trusted = z.object({
  serial: z.int().min(1),
  keys: z.array(z.string().regex(/^[A-Za-z0-9_-]{43}$/)).min(1),
})

/** The trusted keys of orders, or of grants. They come from enrollment; later only a trusted key can introduce others. */
export class OrderKeys {
  readonly #path: string
  readonly #purpose: StatementPurpose
  #trusted: TrustedOrderKeys | undefined
  #keys = new Map<string, KeyObject>()

  private constructor(directory: string, purpose: StatementPurpose) {
    this.#path = join(directory, files[purpose])
    this.#purpose = purpose
  }

  static async open(directory: string, purpose: StatementPurpose = 'orders'): Promise<OrderKeys> {
    const keys = new OrderKeys(directory, purpose)
    await keys.read()
    return keys
  }

  /** Loads what another process of this machine has stored. */
  async read(): Promise<void> {
    const stored = await readIfPresent(this.#path)
    const parsed = Trusted.safeParse(parseJson(stored ?? ''))
    if (parsed.success) this.#trust(parsed.data)
  }

  /** Number of the trusted statement; undefined without a trusted key. */
  get serial(): number | undefined {
    return this.#trusted?.serial
  }

  find(id: string): KeyObject | undefined {
    return this.#keys.get(id)
  }

  /** Trusts exactly these keys: only at enrollment, or while there are no keys yet. */
  async pin(trusted: TrustedOrderKeys): Promise<void> {
    await writeDurably(this.#path, `${JSON.stringify(trusted)}\n`)
    this.#trust(trusted)
  }

  /** Applies statements as far as trusted keys signed them. @returns whether anything changed */
  async follow(statements: readonly OrderKeyStatement[]): Promise<boolean> {
    if (this.#trusted === undefined) return false
    const after = afterStatements(this.#trusted, statements, this.#purpose)
    if (after.serial === this.#trusted.serial) return false
    // In memory first: a removed key must lose its trust even when the disk is full.
    this.#trust(after)
    await this.pin(after)
    return true
  }

  #trust(trusted: TrustedOrderKeys): void {
    this.#trusted = trusted
    this.#keys = new Map(trusted.keys.map((x) => [orderKeyId(x), orderKeyOf(x)]))
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
