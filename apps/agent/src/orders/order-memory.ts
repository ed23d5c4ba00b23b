import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { OrderHead } from '@muster/wire/orders.ts'
import { isMissing } from '../durable-file.ts'
import { signedTimeAheadMaxMs } from '../limits.ts'
import type { Log } from '../log.ts'

/*
 * Which orders were obeyed, so that none is obeyed twice. One line per order: `<run> <sequence> <expiresAt> <floor>`. It is
 * written before the order takes effect, and so outlives the process; commands are in the journal besides, which outlives a
 * power cut. Orders that expire no later than the floor are refused, so those below it need not be remembered.
 */

export class OrderMemory {
  /** Where it is kept; undefined for one that ends with its process. */
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

  /** The newest time that a signature has vouched for, at least: what expires no later is over. */
  get floor(): number {
    return this.#floor
  }

  has({ run, sequence }: Pick<OrderHead, 'run' | 'sequence'>): boolean {
    return this.#expiries.has(`${run} ${sequence}`)
  }

  /** Call before the order takes effect. */
  add({ run, sequence, issuedAt, expiresAt }: OrderHead, nowMs: number): void {
    this.#expiries.set(`${run} ${sequence}`, expiresAt)
    // A signer whose clock is far ahead must not make all others' orders look old.
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

  /** A full disk must not make a machine unreachable: what cannot be written is remembered until the process ends. */
  #keep(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#log.error(`cannot note an order: ${error instanceof Error ? error.message : error}`)
    }
  }
}

function linesIn(path: string): string[] {
  try {
    // What stands behind the last line end was cut off while it was written, before its order took effect.
    return readFileSync(path, 'utf8').split('\n').slice(0, -1)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
