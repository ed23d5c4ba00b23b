// The first steps of each call: rate limit, credential, admission. Rejections of known callers are recorded.
import { admit, type Caller } from '../access.ts'
import type { Operation, Reply, Request, Runtime } from '../call.ts'
import { AppError } from '../errors.ts'

/** The caller when the operation admits it. Null for public operations. */
export async function admitted<Db, Services>(
  operation: Operation<Db, Services>,
  request: Request,
  reply: Reply,
  runtime: Runtime<Db, Services>,
): Promise<Caller | null> {
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

/** Records each 403 of a known caller. */
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
