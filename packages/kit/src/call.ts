// The interfaces between handlers, the REST and tRPC adapters, and the process, for one call.
import type { Readable } from 'node:stream'
import type { Caller } from './access.ts'
import type { AuditNote } from './audit.ts'
import type { AnyEndpoint, Endpoint, Resource } from './contract.ts'
import { invariant } from './errors.ts'
import type { OpenStreams } from './operation/open-streams.ts'
import type { Repeat } from './operation/repeat.ts'
import type { Proof, Proved } from './schema/proof.ts'
import { isChangeOfOne } from './schema/statuses.ts'
import type { AuditAction } from './vocabulary.ts'

/** A request as REST and tRPC pass it on. */
export interface Request {
  readonly id: string
  readonly ip: string
  readonly userAgent: string | null
  header(name: string): string | undefined
  cookie(name: string): string | undefined
  /** The unread body of a raw operation. */
  readonly body: AsyncIterable<Uint8Array> | null
  /** Fires when the client has disconnected. */
  readonly signal: AbortSignal
}

/** Headers and cookies of the response, for REST and tRPC. */
export interface Reply {
  header(name: string, value: string): void
  /**
   * HttpOnly, SameSite=Strict, and Secure when served over TLS. An age of 0 deletes the cookie. `lax` is for cookies that are
   * needed when another site redirects the browser back.
   */
  cookie(name: string, value: string, options: { maxAgeSeconds: number; path: string; sameSite?: 'lax' }): void
}

/** A body that is opened only when it is sent. HEAD does not open it. */
export interface LazyBody {
  /** Called at most once. The stream is read to its end or destroyed. */
  readonly open: () => Promise<Readable>
}

export interface RawAnswer {
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  /** A generator must hold no resources before its first piece is requested. Otherwise use a lazy body. */
  readonly body: string | Uint8Array | AsyncGenerator<Uint8Array | string> | LazyBody | null
}

export interface Call<In, Db, Services, Out = unknown> {
  /** Undefined only where the access is public. */
  readonly caller: Caller
  readonly input: In
  readonly db: Db
  readonly services: Services
  readonly request: Request
  readonly reply: Reply
  /** For operations with their own transactions: runs one across tenants and writes the audit records noted in it. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>
  audit(note: AuditNote): void
  /**
   * Requires a fresh proof of the caller. Call it before the first write, because it may update the caller's own row. Only
   * for operations that declare `stepUp`.
   * @throws FORBIDDEN with `confirm` and the missing fields
   */
  stepUp(): Promise<Proved>
  /** Runs after the commit. A failure is logged and does not undo the change. */
  afterCommit(effect: () => Promise<unknown> | unknown): void
  /**
   * Computes the response after the commit and its effects, without a transaction, for values that are only known later. A
   * failure is logged, and the committed response is sent instead.
   */
  answerLater(answer: () => Promise<Out>): void
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
  /** The GET of the same path, whose ETag is the version of the changed resource. */
  readonly reader: Operation<Db, Services> | null
}

export interface AuditRecord extends AuditNote {
  readonly action: AuditAction
}

/** What `run` needs from its process. */
export interface Runtime<Db, Services> {
  readonly services: Services
  limit(request: Pick<Request, 'ip'>, reply: Pick<Reply, 'header'>): Promise<void>
  /** Null without a credential. @throws UNAUTHENTICATED for an invalid credential */
  authenticate(request: Request): Promise<Caller | null>
  /** One transaction with the caller's reach. Without a caller it has the rights of the system, for public operations. */
  transaction<T>(caller: Caller | null, mode: 'read' | 'write', work: (db: Db) => Promise<T>): Promise<T>
  /** Locks the name until the transaction ends, so that changes of one resource are serialized. */
  lock(db: Db, name: string): Promise<unknown>
  /** A request with an Idempotency-Key. */
  repeat(operation: Operation<Db, Services>, caller: Caller, key: string, inputHash: string): Repeat<Db>
  /** Called for each rejection with 403, to record it without delaying the response. */
  denied(operation: Operation<Db, Services>, caller: Caller, request: Request, why: string): void
  /** Whether the transaction failed only because of a simultaneous one, so that a retry can succeed. */
  canRetry(error: unknown): boolean
  audit(db: Db, records: readonly AuditRecord[], caller: Caller | null, request: Request): Promise<void>
  /** @throws FORBIDDEN without a fresh proof */
  stepUp(operation: Operation<Db, Services>, caller: Caller, proof: Proof, request: Request): Promise<Proved>
  effectFailed(operation: Operation<Db, Services>, error: unknown): void
  /** Registers a listener for changes of any caller's authority. @returns a function that removes it */
  onAuthorityChange(listener: () => void): () => void
  /** The open event streams of this process, by caller. */
  readonly streams: OpenStreams
}

/** Replaces the database when no transaction is open. */
export const noDatabase = new Proxy(
  {},
  {
    get() {
      throw new Error('this operation has no transaction around it; open one with `write` or through its services')
    },
  },
)
/** Replaces `write` when a transaction is open or none is allowed. */
export const noWrite = () => {
  throw new Error('the handler is in a transaction already')
}

const noCaller: Caller = new Proxy({} as Caller, {
  get() {
    throw new Error('a public operation has no caller')
  },
})
/** Fails when a handler of a public operation reads its caller. */
export const callerOrThrow = (caller: Caller | null): Caller => caller ?? noCaller

/** The declarations of one resource and their handlers. */
export interface Implementation<Db, Services> {
  readonly contract: Resource
  readonly handlers: Readonly<Record<string, (call: Call<unknown, Db, Services>) => unknown>>
}

export function implementation<R extends Resource, Db, Services>(
  contract: R,
  handlers: Handlers<R, Db, Services>,
): Implementation<Db, Services> {
  // Handlers are called only with input that their own schema parsed, so the wider type is safe here.
  return { contract, handlers: handlers as unknown as Implementation<Db, Services>['handlers'] }
}

/** Flattens areas of resources into operations with the ids `area.resource.verb`. */
export function operationsOf<Db, Services>(
  areas: Readonly<Record<string, Readonly<Record<string, Implementation<Db, Services>>>>>,
): Operation<Db, Services>[] {
  const made = Object.entries(areas).flatMap(([area, resources]) =>
    Object.entries(resources).flatMap(([resource, { contract, handlers }]) =>
      Object.entries(contract).map(([verb, endpoint]) => {
        const handle = handlers[verb]
        invariant(handle !== undefined, `${area}.${resource}.${verb} has no handler`)
        return { id: `${area}.${resource}.${verb}`, endpoint, handle, reader: null }
      }),
    ),
  )
  const reads = ({ kind, method, transaction }: AnyEndpoint) =>
    kind === 'query' && method === 'GET' && transaction === 'request'
  const readers = new Map(made.filter(({ endpoint }) => reads(endpoint)).map((one) => [one.endpoint.path, one]))
  return made.map((one) =>
    isChangeOfOne(one.endpoint) ? { ...one, reader: readers.get(one.endpoint.path) ?? null } : one,
  )
}
