// Calls an operation as a given caller and rolls back its changes, so thousands of probes can share one stage.
import { randomInt } from 'node:crypto'
import type { Operation } from '@muster/areas/operation.ts'
import { createRuntime } from '@muster/areas/runtime.ts'
import type { Services } from '@muster/areas/services.ts'
import type { Db } from '@muster/db/database.ts'
import { opened } from '@muster/kit/body/raw-body.ts'
import type { RawAnswer, Request, Runtime } from '@muster/kit/call.ts'
import { AppError } from '@muster/kit/errors.ts'
import { follow } from '@muster/kit/operation/follow.ts'
import { run } from '@muster/kit/operation/run.ts'
import { requestAs } from '@muster/testkit/call.ts'
import { outputMustBeDeclared, refusalMustBeDeclared } from '@muster/testkit/declared-answers.ts'
import { testServices } from '@muster/testkit/services.ts'
import type { Person } from '@muster/testkit/world.ts'

/** Carries a result out of a transaction that must be rolled back. */
class RolledBack extends Error {
  readonly result: unknown
  constructor(result: unknown) {
    super('rolled back')
    this.result = result
  }
}

/** A runtime that rolls back every transaction after its work succeeded. */
export function withoutTrace(
  runtime: Runtime<Db, Services>,
  look: (db: Db, when: 'before' | 'after') => Promise<void> = async () => undefined,
): Runtime<Db, Services> {
  return {
    ...runtime,
    denied: () => undefined,
    async transaction<T>(...[caller, mode, work]: Parameters<Runtime<Db, Services>['transaction']>) {
      try {
        await runtime.transaction(caller, mode, async (db) => {
          await look(db, 'before')
          const result = await work(db)
          await look(db, 'after')
          throw new RolledBack(result)
        })
      } catch (error) {
        if (error instanceof RolledBack) return error.result as T
        throw error
      }
      throw new Error('the transaction was not rolled back')
    },
  }
}

export interface Answer {
  readonly status: number
  readonly code: string | null
  readonly message: string
  /** The whole answer as text. */
  readonly text: string
  /** The error that would be answered with 500. */
  readonly failure: unknown
}

export const anyAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${1 + randomInt(254)}`
const reply = { header() {}, cookie() {} }

async function textOf(output: unknown, isRaw: boolean): Promise<string> {
  if (!isRaw) return JSON.stringify(output) ?? ''
  const body = await opened((output as RawAnswer).body)
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  let text = ''
  for await (const part of body) text += typeof part === 'string' ? part : Buffer.from(part).toString()
  return text
}

/** A subscription counts as answered by its first event. */
async function firstEvent(operation: Operation, input: unknown, request: Request, runtime: Runtime<Db, Services>) {
  const gone = new AbortController()
  const events = follow(operation, input, { ...request, signal: gone.signal }, reply, runtime)
  try {
    return (await events.next()).value
  } finally {
    gone.abort()
    await events.return(undefined)
  }
}

export interface ProbeOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Commits the changes. */
  readonly lasting?: boolean
  readonly services?: Services
  /** Inspects the changes of the operation before the rollback. */
  look?(db: Db, when: 'before' | 'after'): Promise<void>
}

/** Calls the operation and returns what REST or tRPC would answer. */
export async function probe(
  operation: Operation,
  who: Pick<Person, 'token'> | null,
  input: unknown,
  { headers = {}, lasting = false, services, look }: ProbeOptions = {},
): Promise<Answer> {
  const real = createRuntime(services ?? (await testServices()))
  const runtime = lasting ? real : withoutTrace(real, look)
  const request = requestAs(who, { headers, ip: anyAddress() })
  const { kind, status } = operation.endpoint
  try {
    const output =
      kind === 'subscription'
        ? await firstEvent(operation, input, request, runtime)
        : await run(operation, input, request, reply, runtime)
    if (kind !== 'subscription') outputMustBeDeclared(operation.id, operation.endpoint, output)
    return { status, code: null, message: '', text: await textOf(output, kind === 'raw'), failure: null }
  } catch (error) {
    if (!(error instanceof AppError)) return { status: 500, code: 'INTERNAL', message: '', text: '', failure: error }
    refusalMustBeDeclared(operation.id, operation.endpoint, error)
    const { code, message } = error
    return { status: error.status, code, message, text: JSON.stringify(error.body()), failure: null }
  }
}
