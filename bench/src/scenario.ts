import type { BenchOptions } from './options.ts'
import type { Report } from './report.ts'

export interface Run {
  readonly options: BenchOptions
  /** Tells the person what is going on. */
  say(line: string): void
  /** Keeps something to be stopped at the end of the run, whatever happens; the last comes first. */
  keep<T extends { stop(): Promise<void> }>(started: T): T
}

export interface Scenario {
  readonly summary: string
  /** No run takes longer than this, come what may. */
  readonly secondsMax: number
  /** What it asks cannot be asked of less: `all --quick` leaves it out. */
  readonly hasNoQuickForm?: boolean
  run(run: Run): Promise<Report>
}
