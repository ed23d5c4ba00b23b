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
import { conditionOf, currentOf, mustHold, resourceOf } from './conditions.ts'
import { AppError } from './errors.ts'
import { keptOnce, repeatOf, replayed } from './idempotency.ts'
import { parsed } from './input.ts'
import { takesProof } from './proof.ts'
import { EarlierAnswer } from './repeat.ts'
import { stepUpOf, takeProof } from './step-up.ts'

/** The first steps of the road: rate limit, credential, admission. */
export async function admitted<Db, Services>(
  operation: Operation<Db, Services>,
  request: Request,
  reply: Reply,
  runtime: Runtime<Db, Services>,
) {
  await runtime.limit(request, reply)
  const { access } = operation.endpoint
  const caller = access.who === 'public' ? null : await runtime.authenticate(request)
  try {
    admit(access, caller)
  } catch (error) {
    reportDenial(operation, caller, request, error, runtime)
    throw error
  }
  return caller
}

/** Every 403 of a known caller is recorded. */
export function reportDenial<Db, Services>(
  operation: Operation<Db, Services>,
  caller: Caller | null,
  request: Request,
  error: unknown,
  runtime: Runtime<Db, Services>,
): void {
  if (caller !== null && error instanceof AppError && error.status === 403) {
    runtime.denied(operation, caller, request, error.message)
  }
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
  const caller = await admitted(operation, request, reply, runtime)
  try {
    return await carriedOut(operation, caller, given, request, reply, runtime)
  } catch (error) {
    reportDenial(operation, caller, request, error, runtime)
    throw error
  }
}

/** What follows the commit, in order; a failure undoes nothing and keeps nothing else from happening. */
async function carryOut(effects: readonly (() => unknown)[], failed: (error: unknown) => void): Promise<void> {
  for (const effect of effects) {
    try {
      await effect()
    } catch (error) {
      failed(error)
    }
  }
}

async function carriedOut<Db, Services>(
  operation: Operation<Db, Services>,
  caller: Caller | null,
  given: unknown,
  request: Request,
  reply: Reply,
  runtime: Runtime<Db, Services>,
): Promise<unknown> {
  const { endpoint } = operation
  const { proof, rest } = takeProof(endpoint, given)
  const context = { caller: callerOrThrow(caller), services: runtime.services, request, reply }
  const current = (db: Db) => currentOf(operation, { ...context, db, given: rest })
  const input = await parsed(operation, rest, () => runtime.transaction(caller, 'read', current))
  const stepUp = stepUpOf(operation, caller, proof, request, runtime)
  if (endpoint.stepUp === 'always') await stepUp()
  const repeat = repeatOf(operation, caller, input, request, runtime)
  // A stored answer may hold the secret that the proof was asked for.
  const replay = async (earlier: EarlierAnswer) => {
    if (takesProof(endpoint.stepUp) && caller?.sessionId) await stepUp()
    return replayed(earlier, reply)
  }
  const earlier = await repeat?.find()
  if (earlier) return replay(earlier)
  const [effects, answers]: [(() => unknown)[], (() => unknown)[]] = [[], []]
  let notes: AuditNote[] = []
  const handle = async (db: Db, write: Call<unknown, Db, Services>['write']) => {
    const result = await operation.handle({
      ...context,
      input,
      db,
      write,
      audit: (note) => notes.push(note),
      stepUp,
      afterCommit: (effect) => effects.push(effect),
      answerLater: (answer) => answers.push(answer),
    })
    return endpoint.kind === 'raw' ? result : endpoint.output.parse(result)
  }
  const recorded = async <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> => {
    notes = []
    const result = await work(db)
    const records = recordsOf(operation, notes)
    if (records.length > 0) await runtime.audit(db, records, caller, request)
    return result
  }
  const mode = endpoint.kind === 'mutation' || endpoint.audit !== null ? 'write' : 'read'
  const ifMatch = conditionOf(operation, request)
  const inRequest = () => {
    effects.length = 0
    answers.length = 0
    return runtime.transaction(caller, mode, async (db) => {
      const known = await repeat?.claim(db)
      if (known) return known
      const lock = operation.reader && runtime.lock(db, resourceOf(operation.reader, input))
      if (ifMatch !== undefined) mustHold(ifMatch, await current(db))
      const [result] = await Promise.all([recorded(db, (own) => handle(own, noWrite)), lock])
      repeat?.keep(db, result)
      return result
    })
  }
  const inOwn = async () => {
    if (ifMatch !== undefined) mustHold(ifMatch, await runtime.transaction(caller, 'read', current))
    return keptOnce(repeat, runtime, (acted) =>
      handle(noDatabase as Db, (work) =>
        runtime.transaction(null, 'write', async (db) => {
          acted(db)
          return recorded(db, work)
        }),
      ),
    )
  }
  const output =
    endpoint.transaction === 'own'
      ? await inOwn()
      : await repeated(inRequest, runtime, endpoint.kind === 'raw' ? 1 : triesMax)
  if (output instanceof EarlierAnswer) return replay(output)
  const failed = (error: unknown) => runtime.effectFailed(operation, error)
  await carryOut(effects, failed)
  const laterAnswer = answers.at(-1)
  if (laterAnswer === undefined) return output
  try {
    const later = endpoint.output.parse(await laterAnswer())
    if (repeat !== null) await runtime.transaction(null, 'write', async (db) => repeat.keep(db, later)).catch(failed)
    return later
  } catch (error) {
    failed(error)
    return output
  }
}
