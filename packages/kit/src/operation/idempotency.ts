// The header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a repeated request runs only once.
import { createHash } from 'node:crypto'
import type { Caller } from '../access.ts'
import type { Operation, Reply, Request, Runtime } from '../call.ts'
import { AppError, invalid } from '../errors.ts'
import { proofFields } from '../schema/proof.ts'
import { isRepeatable } from '../schema/statuses.ts'
import type { EarlierAnswer, Repeat } from './repeat.ts'

const wellFormed = /^[\x21-\x7e]{1,255}$/

/** Leaves out the proof, which may differ in the repetition. */
const withoutProof = (input: unknown): unknown =>
  typeof input === 'object' && input !== null
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !Object.hasOwn(proofFields, name)))
    : input

/** @returns null for a request without a key, and for operations that do not support one */
export function repeatOf<Db, Services>(
  operation: Operation<Db, Services>,
  caller: Caller | null,
  input: unknown,
  request: Request,
  runtime: Runtime<Db, Services>,
): Repeat<Db> | null {
  const key = request.header('idempotency-key')
  if (key === undefined || caller === null || !isRepeatable(operation.endpoint)) return null
  if (!wellFormed.test(key)) {
    throw invalid('Idempotency-Key: must have 1 to 255 visible ASCII characters without spaces')
  }
  const inputHash = createHash('sha256')
    .update(JSON.stringify(withoutProof(input)))
    .digest('base64url')
  return runtime.repeat(operation, caller, key, inputHash)
}

/** The earlier response, marked as repeated. */
export function replayed({ output }: EarlierAnswer, reply: Reply): unknown {
  reply.header('idempotency-replayed', 'true')
  return output
}

/**
 * For operations with their own transactions. The key is claimed before, and the response is stored after them. Each
 * transaction records that it changed something, so that a request is not repeated after a crash in between.
 */
export async function keptOnce<Db, Services>(
  repeat: Repeat<Db> | null,
  runtime: Pick<Runtime<Db, Services>, 'transaction'>,
  work: (acted: (db: Db) => void) => Promise<unknown>,
): Promise<unknown> {
  if (repeat === null) return work(() => undefined)
  const earlier = await runtime.transaction(null, 'write', (db) => repeat.claim(db))
  if (earlier !== null) return earlier
  let output: unknown
  try {
    output = await work((db) => repeat.acted(db))
  } catch (error) {
    await repeat.release(error instanceof AppError && error.status < 500)
    throw error
  }
  await runtime.transaction(null, 'write', async (db) => repeat.keep(db, output))
  return output
}
