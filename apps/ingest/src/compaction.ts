import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Limits } from './limits.ts'

/*
 * A wave of handshakes leaves several times as much garbage behind as the connections need for the rest of their
 * lives, and the engine gives the pages of a heap that has become quiet back late or never. So once a wave is over,
 * the heap is collected and shrunk: a pause of some ten milliseconds while nobody is waiting for a handshake.
 */

/** Collects all garbage and gives what is free back to the system. */
export type Collect = () => void

/** The engine's own collector, which it hides unless asked for; undefined when there is none. */
export function engineCollector(): Collect | undefined {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') return undefined
  return () => void collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Decides when a wave of handshakes is over and worth cleaning up after. */
export class Compaction {
  readonly #collect: Collect
  readonly #limits: Pick<Limits, 'compactionHandshakesMin' | 'compactionQuietTicks'>
  #handshakesBefore = 0
  /** Handshakes so far, as told at each of the last ticks. */
  readonly #told: number[] = []

  constructor(collect: Collect, limits: Pick<Limits, 'compactionHandshakesMin' | 'compactionQuietTicks'>) {
    this.#collect = collect
    this.#limits = limits
  }

  /** Called once per tick. @returns whether the heap was compacted */
  consider(handshakes: number, live: number): boolean {
    const { compactionHandshakesMin, compactionQuietTicks } = this.#limits
    this.#told.push(handshakes)
    if (this.#told.length <= compactionQuietTicks) return false
    const recent = handshakes - (this.#told.shift() ?? 0)
    // Some agent is always coming back; a hundredth of them is no wave.
    if (recent > live / 100 || handshakes - this.#handshakesBefore < compactionHandshakesMin) return false
    this.#handshakesBefore = handshakes
    this.#collect()
    return true
  }
}
