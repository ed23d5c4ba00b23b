import { randomUUID } from 'node:crypto'
import { operations } from '@muster/areas/registry.ts'
import type { Services } from '@muster/areas/services.ts'
import type { Db } from '@muster/db/database.ts'
import type { Reply, Request, Runtime } from '@muster/kit/call.ts'
import type { Endpoint, Kind } from '@muster/kit/contract.ts'
import { AppError } from '@muster/kit/errors.ts'
import { follow } from '@muster/kit/operation/follow.ts'
import { run } from '@muster/kit/operation/run.ts'
import { outputMustBeDeclared, refusalMustBeDeclared } from './declared-answers.ts'
import { testRuntime } from './services.ts'
import type { Person } from './world.ts'

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: Readonly<Record<string, string>>
  readonly ip?: string
  readonly signal?: AbortSignal
  readonly reply?: Reply
  /** Replaces the runtime of this test file. */
  readonly runtime?: Runtime<Db, Services>
}

/** A request as REST or tRPC would create it. */
export function requestAs(who: Pick<Person, 'token'> | null, options: CallOptions = {}): Request {
  const headers: Record<string, string> = {
    ...options.headers,
    ...(who === null ? {} : { authorization: `Bearer ${who.token}` }),
  }
  return {
    id: randomUUID(),
    ip: options.ip ?? '127.0.0.1',
    userAgent: 'test',
    header: (name) => headers[name.toLowerCase()],
    cookie: (name) => options.cookies?.[name],
    body: null,
    signal: options.signal ?? new AbortController().signal,
  }
}
const noReply: Reply = { header() {}, cookie() {} }

function operationOf(endpoint: unknown) {
  const operation = operations.find((candidate) => candidate.endpoint === endpoint)
  if (operation === undefined) throw new Error('the operation is not in the registry')
  return operation
}

/** Calls an operation as a person, through `run`, as REST and tRPC do: `call(admin, sites.create, { … })`. Errors throw AppError. */
export async function call<K extends Kind, Wire, In, Out>(
  who: Pick<Person, 'token'> | null,
  endpoint: Endpoint<K, Wire, In, Out>,
  input: Wire,
  options: CallOptions = {},
): Promise<Out> {
  const operation = operationOf(endpoint)
  const output = await run(
    operation,
    input,
    requestAs(who, options),
    options.reply ?? noReply,
    options.runtime ?? (await testRuntime()),
  ).catch((error: unknown) => {
    if (error instanceof AppError) refusalMustBeDeclared(operation.id, operation.endpoint, error)
    throw error
  })
  outputMustBeDeclared(operation.id, operation.endpoint, output)
  // `run` has parsed the output with this very endpoint's schema.
  return output as Out
}

/** Follows a subscription as a person. */
export async function* events<Wire, In, Out>(
  who: Pick<Person, 'token'> | null,
  endpoint: Endpoint<'subscription', Wire, In, Out>,
  input: Wire,
  options: CallOptions = {},
): AsyncGenerator<Out> {
  const stream = follow(operationOf(endpoint), input, requestAs(who, options), noReply, await testRuntime())
  for await (const event of stream) yield event as Out
}

/** The error of a rejected call, for assertions: `expect(await refusal(call(…))).toMatchObject({ status: 404 })`. */
export async function refusal(
  calling: Promise<unknown>,
): Promise<{ status: number; code: string; message: string; extra: object }> {
  try {
    await calling
  } catch (error) {
    if (error instanceof AppError)
      return { status: error.status, code: error.code, message: error.message, extra: error.extra }
    throw error
  }
  throw new Error('the call was not rejected')
}
