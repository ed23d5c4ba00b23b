import { statSync } from 'node:fs'
import { type DeviceKeyring, readDeviceKeyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import type { OrderKeyStatement } from '@muster/kit/order-keys.ts'
import { encodeDown } from '@muster/wire/down.ts'

/**
 * The statements by which agents learn which keys sign orders. This process can make none: it passes them on, to agents that come
 * and know less, and to all that are connected when the file brings another one.
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

  /** The frame that leads an agent on from the keys that it trusts; undefined when it knows as much. */
  frameAfter(serial: number): Uint8Array | undefined {
    const statements = this.#statements.filter((statement) => statement.serial > serial)
    return statements.length === 0 ? undefined : encodeDown({ name: 'orderKeys', sequence: 0, body: { statements } })
  }

  /** Reads the file again when it was changed. Returns the frame for everybody when there is something new in it. */
  look(): Uint8Array | undefined {
    const now = changedMs(this.#file)
    if (now === this.#changedMs) return undefined
    this.#changedMs = now
    const known = this.#statements.at(-1)?.serial ?? 0
    try {
      this.#statements = readDeviceKeyring(this.#file).orderStatements ?? []
    } catch (error) {
      // It is being replaced, or wrong: what was read before still holds.
      this.#log.warn({ err: error }, 'the key file was changed and cannot be read')
      this.#changedMs = 0
      return undefined
    }
    return this.frameAfter(known)
  }
}

function changedMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
