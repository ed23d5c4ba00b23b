import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { OrderHead } from '@muster/wire/orders.ts'
import { isMissing } from '../durable-file.ts'
import { signedTimeAheadMaxMs } from '../limits.ts'
import type { Log } from '../log.ts'

/*
 * The executed orders, so that none is executed twice. One line per order: `<run> <sequence> <expiresAt> <floor>`, written
 * before the order takes effect, so it survives the process. Commands are also in the journal, which survives a power
 * failure. Orders that expire no later than the floor are refused, so older ones need not be remembered.
 */

export class OrderMemory {
  /** Its file; undefined when it only lasts as long as its process. */
  readonly #path: string | undefined
  readonly #max: number
  readonly #log: Log
  readonly #expiries = new Map<string, number>()
  #floor = 0
  #lines = 0

  constructor(path: string | undefined, max: number, log: Log) {
    this.#path = path
    this.#max = max
    this.#log = log
    for (const line of path === undefined ? [] : linesIn(path)) this.#read(line)
    this.#forget()
  }

  /** At least the newest time in a signature: an order that expires no later has expired. */
  get floor(): number {
    return this.#floor
  }

  has({ run, sequence }: Pick<OrderHead, 'run' | 'sequence'>): boolean {
    return this.#expiries.has(`${run} ${sequence}`)
  }

  /** Call before the order takes effect. */
  add({ run, sequence, issuedAt, expiresAt }: OrderHead, nowMs: number): void {
    this.#expiries.set(`${run} ${sequence}`, expiresAt)
    // One signer with a fast clock must not expire the orders of all others.
    this.#floor = Math.max(this.#floor, Math.min(issuedAt, nowMs + signedTimeAheadMaxMs))
    this.#keep(() => {
      if (this.#lines < 2 * this.#max) {
        if (this.#path !== undefined)
          appendFileSync(this.#path, `${run} ${sequence} ${expiresAt} ${this.#floor}\n`, { mode: 0o600 })
        this.#lines++
      } else this.#rewrite()
    })
    if (this.#expiries.size > this.#max) this.#forget()
  }

  #read(line: string): void {
    const match = /^(\d+) (\d+) (\d+) (\d+)$/.exec(line)
    if (match === null) return
    this.#lines++
    this.#expiries.set(`${match[1]} ${match[2]}`, Number(match[3]))
    this.#floor = Math.max(this.#floor, Number(match[4]))
  }

  /** Forgets what the floor refuses anyway; when that is not enough, raises the floor. */
  #forget(): void {
    if (this.#expiries.size > this.#max) {
      const expiries = [...this.#expiries.values()].sort((one, other) => one - other)
      this.#floor = Math.max(this.#floor, expiries[expiries.length - this.#max / 2] ?? 0)
    }
    for (const [pair, expiresAt] of this.#expiries) if (expiresAt <= this.#floor) this.#expiries.delete(pair)
  }

  #rewrite(): void {
    this.#forget()
    const lines = [...this.#expiries].map(([pair, expiresAt]) => `${pair} ${expiresAt} ${this.#floor}\n`)
    const content = lines.join('') || `0 0 0 ${this.#floor}\n`
    this.#lines = this.#expiries.size
    if (this.#path === undefined) return
    writeFileSync(`${this.#path}.new`, content, { mode: 0o600 })
    renameSync(`${this.#path}.new`, this.#path)
  }

  /** A full disk must not make a machine unreachable: unwritten entries are kept in memory. */
  #keep(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#log.error(`cannot store an executed order: ${error instanceof Error ? error.message : error}`)
    }
  }
}

function linesIn(path: string): string[] {
  try {
    // An incomplete last line was cut off during the write, before its order took effect.
    return readFileSync(path, 'utf8').split('\n').slice(0, -1)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
