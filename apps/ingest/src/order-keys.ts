import { statSync } from 'node:fs'
import type { Log } from '@muster/kit/log.ts'
import { type DeviceKeyring, readDeviceKeyring } from '@muster/kit/secrets/keyring.ts'
import type { OrderKeyStatement } from '@muster/kit/secrets/order-keys.ts'
import { encodeDown } from '@muster/wire/down.ts'

/**
 * The statements by which agents learn which keys sign orders. This process cannot make any. It forwards them to agents
 * that connect with an older statement, and to all connected agents when the file changes.
 */
export class OrderKeys {
  readonly #file: string
  readonly #log: Log
  #statements: readonly OrderKeyStatement[]
  #changedMs: number

  constructor(file: string, { orderStatements = [] }: DeviceKeyring, log: Log) {
    this.#file = file
    this.#log = log
    this.#statements = orderStatements
    this.#changedMs = changedMs(file)
  }

  /** The frame with the statements after `serial`; undefined when the agent is up to date. */
  frameAfter(serial: number): Uint8Array | undefined {
    const statements = this.#statements.filter((statement) => statement.serial > serial)
    return statements.length === 0 ? undefined : encodeDown({ name: 'orderKeys', sequence: 0, body: { statements } })
  }

  /** Reads the file again when it changed. Returns the frame for all agents when it holds a new statement. */
  reload(): Uint8Array | undefined {
    const now = changedMs(this.#file)
    if (now === this.#changedMs) return undefined
    this.#changedMs = now
    const known = this.#statements.at(-1)?.serial ?? 0
    try {
      this.#statements = readDeviceKeyring(this.#file).orderStatements ?? []
    } catch (error) {
      // The file is being replaced or is invalid: the previous content stays in use.
      this.#log.warn({ err: error }, 'cannot read the changed key file; the previous keys stay in use')
      this.#changedMs = 0
      return undefined
    }
    return this.frameAfter(known)
  }
}

function changedMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
