import type { MetricCondition } from '../rules/conditions.contract.ts'
import type { RuleSet, WindowSpec } from './compile.ts'

/** The samples of one metric of one device, over one duration. */
export class WindowBuffer {
  readonly #spec: WindowSpec
  #at = new Float64Array(8)
  #values = new Float64Array(8)
  #start = 0
  #count = 0
  /** The first sample ever: before the window is covered, its aggregate is unknown. */
  #firstMs = Number.NaN

  constructor(spec: WindowSpec) {
    this.#spec = spec
  }

  get metric(): number {
    return this.#spec.metric
  }

  /** Adds a sample. One that is not later than the last changes nothing. */
  add(atMs: number, value: number): void {
    const last = this.#count === 0 ? Number.NEGATIVE_INFINITY : (this.#at[this.#index(this.#count - 1)] ?? 0)
    if (atMs <= last) return
    if (Number.isNaN(this.#firstMs)) this.#firstMs = atMs
    while (this.#count > 0 && (this.#at[this.#start] ?? 0) <= atMs - this.#spec.ms) {
      this.#start = (this.#start + 1) % this.#at.length
      this.#count--
    }
    if (this.#count === this.#at.length) this.#grow()
    const index = this.#index(this.#count++)
    this.#at[index] = atMs
    this.#values[index] = value
  }

  /** NaN while samples do not reach back to the start of the window, or if none has a value. */
  aggregate(how: MetricCondition['aggregate'], atMs: number): number {
    if (!(this.#firstMs <= atMs - this.#spec.ms)) return Number.NaN
    let samples = 0
    let sum = 0
    let least = Number.POSITIVE_INFINITY
    let most = Number.NEGATIVE_INFINITY
    let latest = Number.NaN
    for (let each = 0; each < this.#count; each++) {
      const index = this.#index(each)
      const value = this.#values[index] ?? Number.NaN
      if (Number.isNaN(value) || (this.#at[index] ?? 0) <= atMs - this.#spec.ms) continue
      samples++
      sum += value
      latest = value
      if (value < least) least = value
      if (value > most) most = value
    }
    if (samples === 0) return Number.NaN
    return how === 'avg' ? sum / samples : how === 'min' ? least : how === 'max' ? most : latest
  }

  #index(each: number): number {
    return (this.#start + each) % this.#at.length
  }

  #grow(): void {
    const size = this.#at.length * 2
    const at = new Float64Array(size)
    const values = new Float64Array(size)
    for (let each = 0; each < this.#count; each++) {
      at[each] = this.#at[this.#index(each)] ?? 0
      values[each] = this.#values[this.#index(each)] ?? 0
    }
    this.#at = at
    this.#values = values
    this.#start = 0
  }
}

/** The last counters of a device, for rates. */
export class Counters {
  atMs = 0
  rxBytes = Number.NaN
  txBytes = Number.NaN
  rxRate = Number.NaN
  txRate = Number.NaN

  /** Takes the next counters. The same sample again changes nothing. */
  add(atMs: number, rxBytes: number, txBytes: number): void {
    if (atMs <= this.atMs) return
    const seconds = (atMs - this.atMs) / 1_000
    // A counter that fell began again. NaN compares as false.
    this.rxRate = rxBytes >= this.rxBytes ? (rxBytes - this.rxBytes) / seconds : Number.NaN
    this.txRate = txBytes >= this.txBytes ? (txBytes - this.txBytes) / seconds : Number.NaN
    this.atMs = atMs
    this.rxBytes = rxBytes
    this.txBytes = txBytes
  }
}

/** What a worker remembers about a device for its rules. Devices without states, windows and rates share one object. */
export class Watched {
  readonly epoch: number
  readonly rules: RuleSet
  /** Of each rule; null while all are normal. Never changed in place, because a write may fail. */
  readonly phases: Uint8Array | null
  readonly sinceMs: Float64Array | null
  readonly windows: readonly WindowBuffer[] | null
  readonly counters: Counters | null

  constructor(
    epoch: number,
    rules: RuleSet,
    memory: Partial<Pick<Watched, 'phases' | 'sinceMs' | 'windows' | 'counters'>> = {},
  ) {
    this.epoch = epoch
    this.rules = rules
    this.phases = memory.phases ?? null
    this.sinceMs = memory.sinceMs ?? null
    this.windows = memory.windows ?? null
    this.counters = memory.counters ?? null
  }

  /** With other phases. */
  with(phases: Uint8Array, sinceMs: Float64Array): Watched {
    const isNormal = phases.every((phase) => phase === 0)
    const { windows, counters } = this
    return new Watched(
      this.epoch,
      this.rules,
      isNormal ? { windows, counters } : { phases, sinceMs, windows, counters },
    )
  }
}

/** A device as its rules see it at first. */
export const watch = (epoch: number, rules: RuleSet, phases?: Uint8Array, sinceMs?: Float64Array): Watched =>
  new Watched(epoch, rules, {
    phases: phases ?? null,
    sinceMs: sinceMs ?? null,
    windows: rules.windows.length === 0 ? null : rules.windows.map((spec) => new WindowBuffer(spec)),
    counters: rules.usesRates ? new Counters() : null,
  })
