// The only road to a handler. Both doors come through `run`, so a handler cannot forget a step and has none to remember:
// rate limit, authenticate, partner guard and forced MFA, scope, permission, parse, step-up, tenant transaction,
// handler, the declared audit record, output, commit, effects.
import { setTimeout } from 'node:timers/promises'
import { admit, type Caller } from './access.ts'
import type { AuditNote } from './audit.ts'
import { recordsOf } from './audit-rule.ts'
import {
  type Call,
  callerOrThrow,
  noDatabase,
  noWrite,
  type Operation,
  type Reply,
  type Request,
  type Runtime,
} from './call.ts'
import { parseInput } from './input.ts'
import { stepUpOf, takeProof } from './step-up.ts'

/** The first steps of the road: rate limit, credential, admission. */
export async function admitted<Db, Services>(
  operation: Operation<Db, Services>,
  request: Request,
  runtime: Runtime<Db, Services>,
) {
  await runtime.limit(operation, request)
  const { access } = operation.endpoint
  const caller = access.who === 'public' ? null : await runtime.authenticate(request)
  admit(access, caller)
  return caller
}

const triesMax = 4

/**
 * Does the work of a transaction again when others got in its way: a deadlock took it back whole. A raw operation reads
 * its body once, so it has one try; operations with transactions of their own may have done more than their transaction.
 */
async function repeated<T>(
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

/** Runs one query, mutation or raw operation for one request. @returns the declared output, or a raw answer */
export async function run<Db, Services>(
  operation: Operation<Db, Services>,
  given: unknown,
  request: Request,
  reply: Reply,
  runtime: Runtime<Db, Services>,
): Promise<unknown> {
  const { endpoint } = operation
  const caller = await admitted(operation, request, runtime)
  const { proof, rest } = takeProof(endpoint, given)
  const input = parseInput(endpoint, rest)
  const stepUp = stepUpOf(operation, caller, proof, request, runtime)
  if (endpoint.stepUp === 'always') await stepUp()
  const effects: (() => Promise<unknown> | unknown)[] = []
  const answers: (() => Promise<unknown>)[] = []
  let notes: AuditNote[] = []
  const recorded = <T>(as: Caller | null, mode: 'read' | 'write', work: (db: Db) => Promise<T>): Promise<T> =>
    runtime.transaction(as, mode, async (db) => {
      notes = []
      const result = await work(db)
      const records = recordsOf(operation, notes)
      if (records.length > 0) await runtime.audit(db, records, caller, request)
      return result
    })
  const handle = async (db: Db, write: Call<unknown, Db, Services>['write']) => {
    const result = await operation.handle({
      caller: callerOrThrow(caller),
      input,
      db,
      write,
      services: runtime.services,
      request,
      reply,
      audit: (note) => notes.push(note),
      stepUp,
      after: (effect) => effects.push(effect),
      finish: (answer) => answers.push(answer),
    })
    return endpoint.kind === 'raw' ? result : endpoint.output.parse(result)
  }
  const mode = endpoint.kind === 'mutation' || endpoint.audit !== null ? 'write' : 'read'
  const inRequest = () => {
    effects.length = 0
    answers.length = 0
    return recorded(caller, mode, (db) => handle(db, noWrite))
  }
  const output =
    endpoint.transaction === 'own'
      ? await handle(noDatabase as Db, (work) => recorded(null, 'write', work))
      : await repeated(inRequest, runtime, endpoint.kind === 'raw' ? 1 : triesMax)
  for (const effect of effects) {
    try {
      await effect()
    } catch (error) {
      runtime.effectFailed(operation, error)
    }
  }
  const laterAnswer = answers.at(-1)
  if (laterAnswer === undefined) return output
  try {
    return endpoint.output.parse(await laterAnswer())
  } catch (error) {
    runtime.effectFailed(operation, error)
    return output
  }
}
