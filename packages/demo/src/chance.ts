import { createHash } from 'node:crypto'

/** Deterministic random values: they depend only on the name. */
export class Chance {
  #state: number

  constructor(name: string) {
    this.#state = createHash('sha256').update(name).digest().readUInt32LE()
  }

  /** At least 0, below 1. */
  share(): number {
    // Mulberry32: short, and uniform enough for plausible figures.
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from `least` to `most`, both inclusive. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1))
  }

  /** True in the given percentage of cases. */
  percent(cases: number): boolean {
    return this.share() * 100 < cases
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[Math.floor(this.share() * from.length)] ?? from[0]
  }

  /** One of the values, by weight. */
  weighted<T>(from: readonly [readonly [T, number], ...(readonly [T, number])[]]): T {
    let left = this.share() * from.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [value, weight] of from) {
      left -= weight
      if (left < 0) return value
    }
    return from[0][0]
  }

  /** A number of hexadecimal digits. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.whole(0, 15).toString(16)).join('')
  }
}
