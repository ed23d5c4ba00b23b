// The only way to a handler. Both doors call `run`, so a handler cannot leave out a step: rate limit, authenticate, partner
// guard and forced MFA, scope, permission, parse, step-up, tenant transaction, handler, the declared audit record, output,
// commit, effects.

import type { Operation, Reply, Request, Runtime } from '../call.ts'
import { takesProof } from '../schema/proof.ts'
import { admitted, reportDenial } from './admission.ts'
import { type Admitted, current, type Handled, handled, type Prepared } from './handling.ts'
import { repeatOf, replayed } from './idempotency.ts'
import { parsed } from './input.ts'
import { EarlierAnswer } from './repeat.ts'
import { stepUpOf, takeProof } from './step-up.ts'

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
    const call = await prepared({ operation, caller, given, request, reply, runtime })
    const earlier = await call.repeat?.find()
    if (earlier) return await replay(call, earlier)
    const done = await handled(call)
    if (done.output instanceof EarlierAnswer) return await replay(call, done.output)
    return await answered(call, done)
  } catch (error) {
    reportDenial(operation, caller, request, error, runtime)
    throw error
  }
}

/** Parses the input, and checks the proof where every call takes one. */
async function prepared<Db, Services>(sent: Admitted<Db, Services>): Promise<Prepared<Db, Services>> {
  const { operation, caller, request, runtime } = sent
  const { proof, rest } = takeProof(operation.endpoint, sent.given)
  const call = { ...sent, given: rest }
  const read = () => runtime.transaction(caller, 'read', (db) => current(call, db))
  const input = await parsed(operation, rest, read)
  const stepUp = stepUpOf(operation, caller, proof, request, runtime)
  if (operation.endpoint.stepUp === 'always') await stepUp()
  return { ...call, input, stepUp, repeat: repeatOf(operation, caller, input, request, runtime) }
}

/** A stored answer may hold the secret that the proof was asked for. */
async function replay<Db, Services>({ operation, caller, stepUp, reply }: Prepared<Db, Services>, to: EarlierAnswer) {
  if (takesProof(operation.endpoint.stepUp) && caller?.sessionId) await stepUp()
  return replayed(to, reply)
}

/** Runs the effects of a commit, then the later answer where there is one. A failure is logged and undoes nothing. */
async function answered<Db, Services>(
  { operation, repeat, runtime }: Prepared<Db, Services>,
  { output, effects, laterAnswer }: Handled,
): Promise<unknown> {
  const failed = (error: unknown) => runtime.effectFailed(operation, error)
  for (const effect of effects) {
    try {
      await effect()
    } catch (error) {
      failed(error)
    }
  }
  if (laterAnswer === undefined) return output
  try {
    const later = operation.endpoint.output.parse(await laterAnswer())
    if (repeat !== null) await runtime.transaction(null, 'write', async (db) => repeat.keep(db, later)).catch(failed)
    return later
  } catch (error) {
    failed(error)
    return output
  }
}
