import type { FactAssignment } from '@muster/wire/messages/assignment.ts'
import type { Random } from '../backoff.ts'
import { factEveryMs, factsRepeatMs } from '../limits.ts'
import type { Log } from '../log.ts'
import { FactReporter, type FactReporterOptions } from './fact-reporter.ts'
import { FactSchedule } from './fact-schedule.ts'
import type { FactStore } from './fact-store.ts'
import type { LookAt } from './look.ts'

export interface FactsOptions extends FactReporterOptions {
  store: FactStore
  look: LookAt
  log: Log
  random?: Random
}

/** The facts that the server assigned to this machine. They are kept on the disk, and so is what the server knows about them. */
export class Facts {
  readonly #store: FactStore
  readonly #reporter: FactReporter
  readonly #schedule: FactSchedule
  readonly #timers: NodeJS.Timeout[]
  /** The newest revision that this process received. */
  #revision = 0
  #isUnwatched = false

  constructor({ store, look, log, random = Math.random, ...reporting }: FactsOptions) {
    this.#store = store
    this.#reporter = new FactReporter({ ...reporting, store })
    this.#schedule = new FactSchedule({
      look,
      random,
      found: (id, finding) => this.#reporter.add(id, finding),
      unwatched: (error) => {
        if (!this.#isUnwatched)
          log.warn(`cannot watch a folder, so its files are only looked at from time to time: ${error}`)
        this.#isUnwatched = true
      },
    })
    this.#timers = [
      setInterval(() => this.#reporter.repeat(), factEveryMs),
      setInterval(() => this.#tellAll(), factsRepeatMs * (0.9 + 0.2 * random())),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** The newest revision that the server sent to this process: what is on the disk may be of another database. */
  get revision(): number {
    return this.#revision
  }

  /** Goes on with what is on the disk. */
  start(): void {
    this.#schedule.replace(this.#store.items)
  }

  receive({ revision, items }: FactAssignment): void {
    // An older assignment that arrives late is ignored. The server receives the current revision again.
    if (revision > this.#revision) {
      this.#revision = revision
      if (!this.#store.has(revision, items)) {
        this.#store.replace(revision, items)
        this.#reporter.keep(new Set(items.map(({ id }) => id)))
        this.#schedule.replace(items)
      }
    }
    this.#reporter.confirm()
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#schedule.stop()
    this.#reporter.stop()
    await this.#store.close()
  }

  #tellAll(): void {
    this.#store.forgetTold()
    this.#reporter.repeat()
  }
}
