import type { Assignment } from '@muster/wire/messages/assignment.ts'
import { Assignments } from './checks/assignments.ts'
import type { Checkers } from './checks/check.ts'
import type { FactStore } from './facts/fact-store.ts'
import { Facts } from './facts/facts.ts'
import { lookWith } from './facts/look.ts'
import type { Log } from './log.ts'
import type { Outbox } from './outbox.ts'
import type { Tools } from './platform/tools.ts'

interface AssignedWorkOptions {
  checkers: Checkers
  tools: Tools
  facts: FactStore
  outbox: Outbox
  /** The server's time, in milliseconds since 1970. */
  now: () => number
  log: Log
}

/** The checks to repeat and the facts to watch that the server assigned to this machine. */
export class AssignedWork {
  readonly #checks: Assignments
  readonly #facts: Facts

  constructor({ checkers, tools, facts, outbox, now, log }: AssignedWorkOptions) {
    this.#checks = new Assignments({ checkers, now, send: (body) => outbox.observations(body) })
    this.#facts = new Facts({
      store: facts,
      look: lookWith(tools),
      now,
      send: (body, acknowledged) => outbox.facts(body, acknowledged),
      log,
    })
  }

  /** The newest revision that this process received; 0 without any. */
  get revision(): number {
    return Math.max(this.#checks.revision, this.#facts.revision)
  }

  /** Goes on with the facts that an earlier process was assigned. */
  start(): void {
    this.#facts.start()
  }

  receive(assignment: Assignment): void {
    if (assignment.kind === 'facts') this.#facts.receive(assignment)
    else this.#checks.receive(assignment)
  }

  async stop(): Promise<void> {
    this.#checks.stop()
    await this.#facts.stop()
  }
}
