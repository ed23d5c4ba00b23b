// Calls a handler in its transaction, with the condition, the lock and the audit records of the change.
import { setTimeout } from 'node:timers/promises'
import type { Caller } from '../access.ts'
import type { AuditNote } from '../audit.ts'
import {
  type Call,
  callerOrThrow,
  noDatabase,
  noWrite,
  type Operation,
  type Reply,
  type Request,
  type Runtime,
} from '../call.ts'
import type { Proved } from '../schema/proof.ts'
import { recordsOf } from './audit-rule.ts'
import { conditionOf, currentOf, mustHold, resourceOf } from './conditions.ts'
import { keptOnce } from './idempotency.ts'
import type { Repeat } from './repeat.ts'

/** An admitted call. */
export interface Admitted<Db, Services> {
  readonly operation: Operation<Db, Services>
  readonly caller: Caller | null
  /** The sent input, without the proof. */
  readonly given: unknown
  readonly request: Request
  readonly reply: Reply
  readonly runtime: Runtime<Db, Services>
}

/** A call with parsed input. */
export interface Prepared<Db, Services> extends Admitted<Db, Services> {
  readonly input: unknown
  readonly stepUp: () => Promise<Proved>
  readonly repeat: Repeat<Db> | null
}

export interface Handled {
  readonly output: unknown
  readonly effects: readonly (() => unknown)[]
  readonly laterAnswer: (() => unknown) | undefined
}

/** Reads the changed resource with its GET. */
export const current = <Db, Services>({ operation, caller, runtime, ...call }: Admitted<Db, Services>, db: Db) =>
  currentOf(operation, { ...call, db, caller: callerOrThrow(caller), services: runtime.services })

const triesMax = 4

/** Runs the handler until its transactions are committed. */
export function handled<Db, Services>(call: Prepared<Db, Services>): Promise<Handled> {
  const { kind, transaction } = call.operation.endpoint
  if (transaction === 'own') return inOwnTransactions(call)
  // A raw operation reads its body once.
  return retried(() => inOneTransaction(call), call.runtime, kind === 'raw' ? 1 : triesMax)
}

/** Repeats the work of a transaction that was rolled back by a deadlock. */
async function retried<T>(
  work: () => Promise<T>,
  runtime: { canRetry(error: unknown): boolean },
  tries: number,
): Promise<T> {
  for (let done = 1; ; done++) {
    try {
      return await work()
    } catch (error) {
      if (done >= tries || !runtime.canRetry(error)) throw error
      await setTimeout(Math.random() * 25 * done)
    }
  }
}

async function inOneTransaction<Db, Services>(call: Prepared<Db, Services>): Promise<Handled> {
  const { operation, caller, input, request, repeat, runtime } = call
  const { endpoint, reader } = operation
  const mode = endpoint.kind === 'mutation' || endpoint.audit !== null ? 'write' : 'read'
  const ifMatch = conditionOf(operation, request)
  const handling = new Handling(call)
  const output = await runtime.transaction(caller, mode, async (db) => {
    const known = await repeat?.claim(db)
    if (known) return known
    const lock = reader && runtime.lock(db, resourceOf(reader, input))
    if (ifMatch !== undefined) mustHold(ifMatch, await current(call, db))
    const [result] = await Promise.all([handling.recorded(db, (own) => handling.handle(own, noWrite)), lock])
    repeat?.keep(db, result)
    return result
  })
  return handling.ended(output)
}

async function inOwnTransactions<Db, Services>(call: Prepared<Db, Services>): Promise<Handled> {
  const { operation, caller, request, repeat, runtime } = call
  const ifMatch = conditionOf(operation, request)
  if (ifMatch !== undefined) mustHold(ifMatch, await runtime.transaction(caller, 'read', (db) => current(call, db)))
  const handling = new Handling(call)
  const output = await keptOnce(repeat, runtime, (acted) =>
    handling.handle(noDatabase as Db, (work) =>
      runtime.transaction(null, 'write', async (db) => {
        acted(db)
        return handling.recorded(db, work)
      }),
    ),
  )
  return handling.ended(output)
}

/** One attempt of a handler, with its effects for after the commit. */
class Handling<Db, Services> {
  readonly #call: Prepared<Db, Services>
  readonly #effects: (() => unknown)[] = []
  #laterAnswer: (() => unknown) | undefined
  #notes: AuditNote[] = []

  constructor(call: Prepared<Db, Services>) {
    this.#call = call
  }

  async handle(db: Db, write: Call<unknown, Db, Services>['write']): Promise<unknown> {
    const { operation, caller, input, request, reply, runtime, stepUp } = this.#call
    const result = await operation.handle({
      caller: callerOrThrow(caller),
      services: runtime.services,
      request,
      reply,
      input,
      db,
      write,
      stepUp,
      audit: (note) => this.#notes.push(note),
      afterCommit: (effect) => this.#effects.push(effect),
      answerLater: (answer) => {
        this.#laterAnswer = answer
      },
    })
    return operation.endpoint.kind === 'raw' ? result : operation.endpoint.output.parse(result)
  }

  /** Runs the work and writes its audit records in the same transaction. */
  async recorded<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
    const { operation, caller, request, runtime } = this.#call
    this.#notes = []
    const result = await work(db)
    const records = recordsOf(operation, this.#notes)
    if (records.length > 0) await runtime.audit(db, records, caller, request)
    return result
  }

  ended(output: unknown): Handled {
    return { output, effects: this.#effects, laterAnswer: this.#laterAnswer }
  }
}
