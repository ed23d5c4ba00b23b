// What a handler, the doors and the process say to each other around one call.
import type { Readable } from 'node:stream'
import type { Caller } from './access.ts'
import type { AuditNote } from './audit.ts'
import type { AnyEndpoint, Endpoint, Resource } from './contract.ts'
import { invariant } from './errors.ts'
import type { OpenStreams } from './open-streams.ts'
import type { Proof, Proved } from './proof.ts'
import type { Repeat } from './repeat.ts'
import { isChangeOfOne } from './statuses.ts'
import type { AuditAction } from './vocabulary.ts'

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

/** A body that is opened only to be sent: HEAD opens nothing. */
export interface LazyBody {
  /** Called at most once. What it resolves with is read to its end or destroyed. */
  readonly open: () => Promise<Readable>
}

export interface RawAnswer {
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  /** A generator holds nothing before its first piece is asked for; what does is a lazy body. */
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
  /** Of operations with transactions of their own: one transaction beyond tenants, with the audit records noted inside it. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>
  audit(note: AuditNote): void
  /**
   * Lets the call go on only when the caller has proved lately who it is. Call it before the first write: the proof may
   * touch the caller's own row. Only for operations that declare `stepUp`.
   * @throws FORBIDDEN with `confirm` and the fields that are wanted
   */
  stepUp(): Promise<Proved>
  /** Runs after the commit; its failure is logged and does not undo anything. */
  afterCommit(effect: () => Promise<unknown> | unknown): void
  /**
   * Makes the answer after the commit and the effects, holding neither transaction nor connection: for what is only known
   * later. Should it fail, that is logged and the answer is the one that was committed.
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
  /** The GET of the same path, which tells the version of what a change is about. */
  readonly reader: Operation<Db, Services> | null
}

export interface AuditRecord extends AuditNote {
  readonly action: AuditAction
}

/** What `run` needs of the process it runs in. */
export interface Runtime<Db, Services> {
  readonly services: Services
  limit(request: Pick<Request, 'ip'>, reply: Pick<Reply, 'header'>): Promise<void>
  /** Null when the request carries no credential; throws UNAUTHENTICATED when it carries a bad one. */
  authenticate(request: Request): Promise<Caller | null>
  /** One transaction that sees what the caller may see. Without a caller: the system's, for public operations. */
  transaction<T>(caller: Caller | null, mode: 'read' | 'write', work: (db: Db) => Promise<T>): Promise<T>
  /** Holds the name until the transaction ends: changes of one resource come one after the other. */
  lock(db: Db, name: string): Promise<unknown>
  /** A request with an Idempotency-Key. */
  repeat(operation: Operation<Db, Services>, caller: Caller, key: string, inputHash: string): Repeat<Db>
  /** Told of every refusal with 403, to be recorded without delaying the answer. */
  denied(operation: Operation<Db, Services>, caller: Caller, request: Request, why: string): void
  /** Did the transaction fail only because of another at the same time, so that the same work can succeed when done again? */
  canRetry(error: unknown): boolean
  audit(db: Db, records: readonly AuditRecord[], caller: Caller | null, request: Request): Promise<void>
  /** @throws FORBIDDEN where the caller has not proved lately who it is and the proof given does not either */
  stepUp(operation: Operation<Db, Services>, caller: Caller, proof: Proof, request: Request): Promise<Proved>
  effectFailed(operation: Operation<Db, Services>, error: unknown): void
  /** Tells whenever somebody's authority may have changed. @returns the way to stop listening */
  onAuthorityChange(listener: () => void): () => void
  /** Who holds how many event streams of this process. */
  readonly streams: OpenStreams
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
