// The only road to a handler. Both doors come through `run`, so a handler cannot forget a step and has none to remember:
// rate limit, authenticate, partner guard and forced MFA, scope, permission, parse, tenant transaction, handler,
// the declared audit record, output, commit, effects.
import type { z } from 'zod'
import { admit, type Caller } from './access.ts'
import type { AuditNote } from './audit.ts'
import type { AuditAction } from './audit-actions.ts'
import type { AnyEndpoint, Endpoint, Resource } from './contract.ts'
import { type AppError, invalid, invariant } from './errors.ts'
import { unfitInput } from './storable.ts'

/** What a door knows of a request. */
export interface Request {
  readonly id: string
  readonly ip: string
  readonly userAgent: string | null
  header(name: string): string | undefined
  cookie(name: string): string | undefined
  /** The body of a raw operation, unread. */
  readonly body: AsyncIterable<Uint8Array> | null
  /** Fires when the other side has gone away. */
  readonly signal: AbortSignal
}

/** Headers and cookies that an answer of either door carries beside its body. */
export interface Reply {
  header(name: string, value: string): void
  /**
   * HttpOnly, SameSite=Strict, and Secure when served by TLS. An age of 0 takes the cookie away. `lax` is for what has to
   * come along when another site sends the browser back to us.
   */
  cookie(name: string, value: string, options: { maxAgeSeconds: number; path: string; sameSite?: 'lax' }): void
}

export interface RawAnswer {
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array | string> | null
}

export interface Call<In, Db, Services, Out = unknown> {
  /** Undefined only where the access is public. */
  readonly caller: Caller
  readonly input: In
  readonly db: Db
  readonly services: Services
  readonly request: Request
  readonly reply: Reply
  /** Of operations with transactions of their own: one transaction beyond tenants, with the audit records noted inside it. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>
  audit(note: AuditNote): void
  /** Runs after the commit; its failure is logged and does not undo anything. */
  after(effect: () => Promise<unknown> | unknown): void
  /**
   * Makes the answer after the commit and the effects, holding neither transaction nor connection: for what is only known
   * later. Should it fail, that is logged and the answer is the one that was committed.
   */
  finish(answer: () => Promise<Out>): void
}

type HandlerOf<E, Db, Services> =
  E extends Endpoint<infer K, infer _Wire, infer In, infer Out>
    ? K extends 'subscription'
      ? (call: Call<In, Db, Services, Out>) => AsyncIterable<Out>
      : (call: Call<In, Db, Services, Out>) => Promise<K extends 'raw' ? RawAnswer : Out>
    : never
export type Handlers<R extends Resource, Db, Services> = {
  readonly [Name in keyof R]: HandlerOf<R[Name], Db, Services>
}

/** A declared operation together with its handler. */
export interface Operation<Db, Services> {
  /** `area.resource.verb` */
  readonly id: string
  readonly endpoint: AnyEndpoint
  readonly handle: (call: Call<unknown, Db, Services>) => unknown
}

export interface AuditRecord extends AuditNote {
  readonly action: AuditAction
}

/** What `run` needs of the process it runs in. */
export interface Runtime<Db, Services> {
  readonly services: Services
  limit(operation: Operation<Db, Services>, request: Request): Promise<void>
  /** Null when the request carries no credential; throws UNAUTHENTICATED when it carries a bad one. */
  authenticate(request: Request): Promise<Caller | null>
  /** One transaction that sees what the caller may see. Without a caller: the system's, for public operations. */
  transaction<T>(caller: Caller | null, mode: 'read' | 'write', work: (db: Db) => Promise<T>): Promise<T>
  audit(db: Db, records: readonly AuditRecord[], caller: Caller | null, request: Request): Promise<void>
  effectFailed(operation: Operation<Db, Services>, error: unknown): void
  /** Tells whenever somebody's authority may have changed. @returns the way to stop listening */
  onAuthorityChange(listener: () => void): () => void
}

/** Stands in for the database where no transaction is open. */
export const noDatabase = new Proxy(
  {},
  {
    get() {
      throw new Error('this operation has no transaction around it; open one with `write` or through its services')
    },
  },
)
/** Stands in for `write` where a transaction is open or none may be. */
export const noWrite = () => {
  throw new Error('the handler is in a transaction already')
}

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

/** Turns what failed in a schema into the words of one error: the first problem is the message, all are listed. */
export function inputError(error: z.core.$ZodError): AppError {
  const issues = error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  const [first] = issues
  const message =
    first === undefined ? 'Invalid input' : first.path === '' ? first.message : `${first.path}: ${first.message}`
  return invalid(message, { issues: issues.slice(0, 20) })
}

/** For those who send requests by hand: what the schema itself has no words for, said of the field that stands before it. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && /^invalid_(type|union|value)$/.test(issue.code)) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? `of the type ${issue.expected}`}`
    case 'invalid_format':
      return issue.format === 'guid' ? 'must be a UUID' : undefined
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return issue.minimum === 1 && issue.origin in units
        ? 'must not be empty'
        : boundWords('at least', issue.minimum, issue.origin)
    case 'too_big':
      return boundWords('at most', issue.maximum, issue.origin)
    default:
      return undefined
  }
}
const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
const units: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' }

function boundWords(least: string, bound: number | bigint, origin: string): string {
  const unit = units[origin]
  return unit === undefined ? `must be ${least} ${bound}` : `must have ${least} ${bound} ${unit}`
}

/** @throws VALIDATION_ERROR naming the field */
export function parseInput(endpoint: AnyEndpoint, given: unknown): unknown {
  const unfit = unfitInput(given)
  if (unfit !== null) throw invalid(unfit)
  const parsed = endpoint.input.safeParse(given, { error: plainWords })
  if (!parsed.success) throw inputError(parsed.error)
  return parsed.data
}

function recordsOf(operation: AnyOperation, notes: readonly AuditNote[]): AuditRecord[] {
  const rule = operation.endpoint.audit
  if (rule === null || (typeof rule === 'object' && 'unaudited' in rule)) {
    invariant(notes.length === 0, `${operation.id} declares no audit action but wrote one`)
    return []
  }
  const occasional = typeof rule === 'object' && 'when' in rule
  if (occasional && notes.length === 0) return []
  const allowed: readonly AuditAction[] = occasional ? rule.actions : typeof rule === 'string' ? [rule] : rule
  invariant(notes.length > 0, `${operation.id} declares ${allowed.join(', ')} but wrote no audit record`)
  return notes.map((note) => {
    const action = note.action ?? allowed[0]
    invariant(
      action !== undefined && allowed.includes(action),
      `${operation.id} wrote ${action}, which it does not declare`,
    )
    return { ...note, action }
  })
}
type AnyOperation = Pick<Operation<unknown, unknown>, 'id' | 'endpoint'>

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
  const input = parseInput(endpoint, given)
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
      after: (effect) => effects.push(effect),
      finish: (answer) => answers.push(answer),
    })
    return endpoint.kind === 'raw' ? result : endpoint.output.parse(result)
  }
  const mode = endpoint.kind === 'mutation' || endpoint.audit !== null ? 'write' : 'read'
  const output =
    endpoint.transaction === 'own'
      ? await handle(noDatabase as Db, (work) => recorded(null, 'write', work))
      : await recorded(caller, mode, (db) => handle(db, noWrite))
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

const nobody: Caller = new Proxy({} as Caller, {
  get() {
    throw new Error('a public operation has no caller')
  },
})
/** Public operations have no caller; one that asks for it is mistaken. */
export const callerOrThrow = (caller: Caller | null): Caller => caller ?? nobody

/** The declarations of one resource and their handlers. */
export interface Implementation<Db, Services> {
  readonly contract: Resource
  readonly handlers: Readonly<Record<string, (call: Call<unknown, Db, Services>) => unknown>>
}

export function implementation<R extends Resource, Db, Services>(
  contract: R,
  handlers: Handlers<R, Db, Services>,
): Implementation<Db, Services> {
  // A handler is only ever called with input that its own schema has parsed, so the wider call type is safe here.
  return { contract, handlers: handlers as unknown as Implementation<Db, Services>['handlers'] }
}

/** Flattens areas of resources into operations with the ids `area.resource.verb`. */
export function operationsOf<Db, Services>(
  areas: Readonly<Record<string, Readonly<Record<string, Implementation<Db, Services>>>>>,
): Operation<Db, Services>[] {
  return Object.entries(areas).flatMap(([area, resources]) =>
    Object.entries(resources).flatMap(([resource, { contract, handlers }]) =>
      Object.entries(contract).map(([verb, endpoint]) => {
        const handle = handlers[verb]
        invariant(handle !== undefined, `${area}.${resource}.${verb} has no handler`)
        return { id: `${area}.${resource}.${verb}`, endpoint, handle }
      }),
    ),
  )
}
