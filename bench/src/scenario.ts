import type { BenchOptions } from './options.ts'
import type { Report } from './report.ts'

export interface Run {
  readonly options: BenchOptions
  /** Prints progress. */
  say(line: string): void
  /** Registers a resource to be stopped at the end of the run, in reverse order. */
  keep<T extends { stop(): Promise<void> }>(started: T): T
}

export interface Scenario {
  readonly summary: string
  /** A run that takes longer is stopped. */
  readonly secondsMax: number
  /** Its measurement needs full size: `all --quick` leaves it out. */
  readonly hasNoQuickForm?: boolean
  run(run: Run): Promise<Report>
}
