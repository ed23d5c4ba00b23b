import { type AssignedCheck, type CheckAssignment, CheckKind } from '@muster/wire/messages/assignment.ts'
import type { CheckObservations } from '@muster/wire/messages/observations.ts'
import type { Random } from '../backoff.ts'
import type { Checkers } from './check.ts'
import { CheckSchedule } from './check-schedule.ts'
import { ObservationReporter } from './observation-reporter.ts'

export interface AssignmentsOptions {
  checkers: Checkers
  /** The server's time, in milliseconds since 1970. */
  now: () => number
  send(body: CheckObservations): void
  random?: Random
}

interface Followed {
  revision: number
  schedule: CheckSchedule
  reporter: ObservationReporter
}

/** The checks that the server assigned to this machine. They are kept in memory: a new process is sent them again. */
export class Assignments {
  readonly #followed: ReadonlyMap<CheckKind, Followed>

  constructor(options: AssignmentsOptions) {
    this.#followed = new Map(CheckKind.options.map((kind) => [kind, follow(kind, options)]))
  }

  /** The newest revision that the agent follows; 0 without any. */
  get revision(): number {
    return Math.max(...[...this.#followed.values()].map(({ revision }) => revision))
  }

  receive({ kind, revision, items }: CheckAssignment): void {
    const followed = this.#followed.get(kind)
    if (followed === undefined) return
    // An older assignment that arrives late is ignored. The server receives the current revision again.
    if (revision > followed.revision) {
      followed.revision = revision
      followed.reporter.keep(new Set(items.map(({ id }) => id)))
      followed.schedule.replace(items)
    }
    followed.reporter.confirm()
  }

  stop(): void {
    for (const { schedule, reporter } of this.#followed.values()) {
      schedule.stop()
      reporter.stop()
    }
  }
}

function follow(kind: CheckKind, { checkers, now, send, random }: AssignmentsOptions): Followed {
  const reporter = new ObservationReporter({ kind, revision: () => followed.revision, now, send })
  const found = ({ id, confirmRounds }: AssignedCheck, finding: Parameters<ObservationReporter['add']>[1]) =>
    reporter.add(id, finding, confirmRounds)
  const schedule = new CheckSchedule({ checkers, found, ...(random && { random }) })
  const followed: Followed = { revision: 0, schedule, reporter }
  return followed
}
