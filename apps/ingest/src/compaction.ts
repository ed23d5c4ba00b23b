import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Limits } from './limits.ts'

/*
 * A wave of handshakes leaves several times as much garbage behind as the connections need for the rest of their
 * lives, and the engine returns the pages of an idle heap late or never. So once a wave is over, the heap is collected
 * and shrunk: a pause of about ten milliseconds while no handshake is waiting.
 */

/** Collects all garbage and returns free memory to the operating system. */
export type Collect = () => void

/** The engine's own collector, which is hidden by default; undefined when there is none. */
export function engineCollector(): Collect | undefined {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') return undefined
  return () => void collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Decides when a wave of handshakes is over and worth a collection. */
export class Compaction {
  readonly #collect: Collect
  readonly #limits: Pick<Limits, 'compactionHandshakesMin' | 'compactionQuietTicks'>
  #handshakesBefore = 0
  /** Total handshakes at each of the last ticks. */
  readonly #totals: number[] = []

  constructor(collect: Collect, limits: Pick<Limits, 'compactionHandshakesMin' | 'compactionQuietTicks'>) {
    this.#collect = collect
    this.#limits = limits
  }

  /** Called once per tick. @returns whether the heap was compacted */
  consider(handshakes: number, live: number): boolean {
    const { compactionHandshakesMin, compactionQuietTicks } = this.#limits
    this.#totals.push(handshakes)
    if (this.#totals.length <= compactionQuietTicks) return false
    const recent = handshakes - (this.#totals.shift() ?? 0)
    // Some agents always reconnect; one percent of the fleet is not a wave.
    if (recent > live / 100 || handshakes - this.#handshakesBefore < compactionHandshakesMin) return false
    this.#handshakesBefore = handshakes
    this.#collect()
    return true
  }
}
