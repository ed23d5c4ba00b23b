// Counts the alerts that a rule would have opened.
import { type CompiledRule, compileRules, type MetricRule } from '../evaluation/compile.ts'
import { firing, nextPhase, normal, truthOf } from '../evaluation/evaluate.ts'
import { createValues, takeSample } from '../evaluation/sample.ts'
import { watch } from '../evaluation/watched.ts'

/** How alerts become messages. */
export interface Grouping {
  /** The group of the alerts of a device. */
  readonly keyOf: (deviceId: string) => string
  /** Before the first message about a group. */
  readonly waitMs: number
  /** Between two messages. */
  readonly intervalMs: number
}

type Timing = Pick<CompiledRule, 'forMs' | 'clearForMs'>

/** The figures of one heartbeat as the evaluation reads them. */
export const columnsOf = (figures: readonly (number | null)[]) =>
  figures.map((figure) => Float64Array.of(figure ?? Number.NaN))

interface Sample {
  readonly atMs: number
  /** In wire order. */
  readonly figures: readonly (number | null)[]
}

export class Backtest {
  readonly #reopenMs: number
  readonly #grouping: Grouping
  readonly #opened: { readonly group: string; readonly atMs: number }[] = []
  #flaps = 0
  #sinceMs = Number.POSITIVE_INFINITY

  constructor(reopenSeconds: number, grouping: Grouping) {
    this.#grouping = grouping
    this.#reopenMs = reopenSeconds * 1_000
  }

  /** Evaluates the samples of one device, in the order of time. */
  replay(deviceId: string, rule: MetricRule, samples: readonly Sample[]): void {
    const set = compileRules([rule])
    const [compiled] = set.rules
    if (compiled === undefined) return
    const watched = watch(0, set)
    const values = createValues()
    const { root } = compiled
    this.follow(deviceId, compiled, samples, ({ atMs, figures }, isFiring) => {
      takeSample(values, columnsOf(figures), 0, watched, atMs)
      return truthOf(root, watched, values, atMs, isFiring)
    })
  }

  /**
   * Follows the phases of one device, in the order of time.
   * @param truthAt whether the condition holds: 1, 0, or -1 if it is unknown
   */
  follow<Each extends { readonly atMs: number }>(
    deviceId: string,
    timing: Timing,
    all: readonly Each[],
    truthAt: (each: Each, isFiring: boolean) => number,
  ): void {
    let [phase, sinceMs, clearedMs] = [normal, 0, Number.NEGATIVE_INFINITY]
    if (all[0] !== undefined) this.covers(all[0].atMs)
    for (const each of all) {
      const { atMs } = each
      const next = nextPhase(timing, phase, sinceMs, truthAt(each, phase >= firing), atMs)
      if (next === phase) continue
      if (next === firing && phase < firing) {
        if (atMs - clearedMs <= this.#reopenMs) this.#flaps++
        else this.alert(deviceId, atMs)
      }
      if (next === normal && phase >= firing) clearedMs = atMs
      phase = next
      sinceMs = atMs
    }
  }

  /** There is history since this time. */
  covers(atMs: number): void {
    this.#sinceMs = Math.min(this.#sinceMs, atMs)
  }

  /** An alert that was open in this time. */
  alert(deviceId: string, atMs: number): void {
    this.#opened.push({ group: this.#grouping.keyOf(deviceId), atMs })
  }

  /** Repetitions and ends are not counted. */
  #messages(): number {
    const { waitMs, intervalMs } = this.#grouping
    let count = 0
    for (const group of Map.groupBy(this.#opened, (each) => each.group).values()) {
      let sentMs: number | null = null
      for (const { atMs } of group.toSorted((a, b) => a.atMs - b.atMs)) {
        if (sentMs !== null && atMs <= sentMs) continue
        sentMs = sentMs === null ? atMs + waitMs : Math.max(atMs, sentMs + intervalMs)
        count++
      }
    }
    return count
  }

  /** A condition that was true again soon after its alert. */
  flap(): void {
    this.#flaps++
  }

  result() {
    const days = new Map<string, number>()
    for (const { atMs } of this.#opened) {
      const day = new Date(atMs).toISOString().slice(0, 10)
      days.set(day, (days.get(day) ?? 0) + 1)
    }
    const perDay = [...days].sort(([a], [b]) => a.localeCompare(b)).map(([day, alerts]) => ({ day, alerts }))
    const since = Number.isFinite(this.#sinceMs) ? new Date(this.#sinceMs).toISOString() : null
    return { since, alerts: this.#opened.length, messages: this.#messages(), flaps: this.#flaps, perDay }
  }
}
