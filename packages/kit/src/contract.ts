// The vocabulary in which operations are declared. The console loads this file: nothing of the server may be imported here.
import { z } from 'zod'
import type { WithProof } from './schema/proof.ts'
import type { NoStepUp, StepUp, StepUpWhen } from './schema/step-up-rule.ts'
import { strictSchema } from './schema/strict.ts'
import type { AuditAction, CallerKind, Permission } from './vocabulary.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
export type Scope = 'system' | 'partner' | 'organization'
export type Kind = 'query' | 'mutation' | 'subscription' | 'raw'
export type Path = `/${string}`

/** Who may call an operation. There is no default: each declaration says it. */
export interface Access {
  readonly who: 'public' | 'signed-in' | 'permitted'
  readonly scopes: readonly Scope[]
  readonly permission: Permission | null
  /** The kinds of callers that are admitted: users and their API keys by default. */
  readonly kinds: readonly CallerKind[]
  /** Admits callers with an unproven email address. */
  readonly beforeVerified: boolean
  /** Admits callers who still have to enroll a second factor. */
  readonly beforeMfa: boolean
  /** Admits members of an inactive partner. */
  readonly beforeActive: boolean
}

export const allScopes = ['organization', 'partner', 'system'] as const
/** Users with a session, for operations that require a person. */
export const people: readonly CallerKind[] = ['user']
const signedInOnly = {
  permission: null,
  kinds: ['user', 'api-key'],
  beforeVerified: false,
  beforeMfa: false,
  beforeActive: false,
} as const

export const anyone: Access = { ...signedInOnly, who: 'public', scopes: allScopes }

/** Any authenticated caller, limited to the given scopes. */
export const signedIn = (options: Partial<Omit<Access, 'who' | 'permission'>> = {}): Access => ({
  ...signedInOnly,
  scopes: allScopes,
  ...options,
  who: 'signed-in',
})

/** Callers with the permission, in the given scopes (by default all). */
export const can = (permission: Permission, ...scopes: Scope[]): Access => ({
  ...signedInOnly,
  who: 'permitted',
  permission,
  scopes: scopes.length > 0 ? scopes : allScopes,
})

/** Like `can`, but rejects API keys. */
export const personCan = (permission: Permission, ...scopes: Scope[]): Access => ({
  ...can(permission, ...scopes),
  kinds: people,
})

/** Why a change writes no audit record. */
export interface Unaudited {
  readonly unaudited: string
}
export const unaudited = (reason: string): Unaudited => ({ unaudited: reason })
/** Audit actions that are written only under a condition. */
export interface AuditedWhen {
  readonly when: string
  readonly actions: readonly AuditAction[]
}
export const auditedWhen = (when: string, ...actions: AuditAction[]): AuditedWhen => ({ when, actions })
export type AuditRule = AuditAction | readonly AuditAction[] | Unaudited | AuditedWhen | null

export const stepUpWhen = (when: string): StepUpWhen => ({ when })
export const noStepUp = (reason: string): NoStepUp => ({ never: reason })

/** The content of an error, independent of its format. */
export interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly extra: Readonly<Record<string, unknown>>
}

/** One operation of the service. REST route, tRPC procedure, API page, guards and gate tests are derived from it. */
export interface Endpoint<K extends Kind, Wire, In, Out> {
  readonly kind: K
  readonly method: Method
  readonly path: Path
  readonly summary: string
  readonly access: Access
  readonly audit: AuditRule
  /** Whether callers need a fresh proof, because the effect outlives their session. */
  readonly stepUp: StepUp
  readonly status: number
  /** Rejects undeclared fields, unless `ignoresUnknown` says why not. */
  readonly input: z.ZodType<In, Wire>
  readonly output: z.ZodType<Out>
  /** The one media type of a request body. Another one answers 415. JSON is parsed; other bodies reach the handler unread. */
  readonly consumes: string
  /** Of raw operations: a JSON body reaches the handler as bytes too, because a signature covers them. */
  readonly unread: boolean
  /** Of raw operations: the media type of the answer, for the API page. */
  readonly produces: string
  /** Further media types of the response. When one of them is JSON, `output` describes it. */
  readonly alsoProduces: readonly string[]
  /** Further successful statuses, such as 206 and 304. */
  readonly answers: readonly number[]
  /** The status of an answer, where its content decides which one it is. */
  readonly statusOf: ((output: unknown) => number) | null
  /** Error statuses beyond those that follow from the declaration. */
  readonly refuses: readonly number[]
  /** Fields in the query although the operation has a body. */
  readonly query: readonly string[]
  /** Why an Idempotency-Key is not supported; null when a POST supports it. */
  readonly unrepeatable: string | null
  /** Of raw operations: whether HEAD answers as GET does, without the body. */
  readonly head: boolean
  /** Why undeclared fields are ignored; null when they are rejected. */
  readonly ignoresUnknown: string | null
  /** The error format for clients of another standard; null for `{ code, message }`. */
  readonly failure: ((said: Failure) => object) | null
  /** Request bodies above this many bytes answer 413. */
  readonly bodyBytesMax: number
  /** The status that hides another tenant's object: 404 unless the contract wants 403. */
  readonly hiddenAs: 403 | 404
  /** Where the fields outside of the path are; null for the query of a GET or DELETE, else the body. */
  readonly inputIn: 'body' | null
  /**
   * `request`: the handler runs in one transaction as the caller. `own`: it opens transactions with `call.write`, across
   * tenants, so that none is open while it hashes passwords or waits for other services.
   */
  readonly transaction: 'request' | 'own'
}
// biome-ignore lint/suspicious/noExplicitAny: the top type of all endpoints; only the doors and gates handle it
export type AnyEndpoint = Endpoint<Kind, any, any, any>
export type Resource = Readonly<Record<string, AnyEndpoint>>

interface Read<I, O> {
  summary: string
  access: Access
  input: I
  output: O
  status?: number
  bodyBytesMax?: number
  hiddenAs?: 403 | 404
  transaction?: 'request' | 'own'
  ignoresUnknown?: string
  refuses?: readonly number[]
  query?: readonly string[]
  unrepeatable?: string
}
interface Write<I, O, S extends StepUp> extends Read<I, O> {
  audit: NonNullable<AuditRule>
  answers?: readonly number[]
  statusOf?: (output: unknown) => number
  stepUp?: S
  /** For a DELETE: its fields are in the body. */
  inputIn?: 'body'
}
interface Raw<I> extends Omit<Read<I, never>, 'output'> {
  produces: string
  alsoProduces?: readonly string[]
  answers?: readonly number[]
  consumes?: string
  unread?: boolean
  audit?: AuditRule
  stepUp?: StepUp
  failure?: (said: Failure) => object
  head?: boolean
}
type Made<K extends Kind, I extends z.ZodType, O extends z.ZodType, S = null> = Endpoint<
  K,
  WithProof<z.input<I>, S>,
  z.output<I>,
  z.output<O>
>

const usual = {
  status: 200,
  audit: null,
  stepUp: null,
  inputIn: null,
  consumes: 'application/json',
  unread: false,
  produces: 'application/json',
  alsoProduces: [],
  answers: [],
  statusOf: null,
  refuses: [],
  query: [],
  unrepeatable: null,
  failure: null,
  ignoresUnknown: null,
  head: false,
  bodyBytesMax: 1_048_576,
  hiddenAs: 404,
  transaction: 'request',
} as const

function declare<K extends Kind, I extends z.ZodType, O extends z.ZodType, S extends StepUp = null>(
  kind: K,
  method: Method,
  path: Path,
  given: Read<I, O> & { audit?: AuditRule; stepUp?: S; produces?: string },
): Made<K, I, O, S> {
  const { stepUp = null, access } = given
  let strict: I | undefined
  const made: unknown = {
    ...usual,
    ...given,
    // Only a user can give a fresh proof.
    access: stepUp === 'always' ? { ...access, kinds: people } : access,
    kind,
    method,
    path,
    // Created on first use, because the console loads all declarations and parses none.
    get input() {
      strict ??= given.ignoresUnknown === undefined ? strictSchema(given.input) : given.input
      return strict
    },
  }
  // The schemas' own types say what the endpoint carries; resolving them once here keeps the console's type-check fast.
  return made as Made<K, I, O, S>
}

const writer =
  (method: Method, status: number) =>
  <I extends z.ZodType, O extends z.ZodType, S extends StepUp = null>(path: Path, given: Write<I, O, S>) =>
    declare<'mutation', I, O, S>('mutation', method, path, { status, ...given })

/** Reading content that only root may open is audited, and can require a fresh proof. */
interface GuardedRead<I, O, S extends StepUp> extends Read<I, O> {
  audit?: AuditRule
  stepUp?: S
}
export const get = <I extends z.ZodType, O extends z.ZodType, S extends StepUp = null>(
  path: Path,
  given: GuardedRead<I, O, S>,
) => declare<'query', I, O, S>('query', 'GET', path, given)
/** A read whose input is too large for a query string. */
export const ask = <I extends z.ZodType, O extends z.ZodType>(path: Path, given: Read<I, O>) =>
  declare('query', 'POST', path, given)
/** A POST that answers 200. */
export const post = writer('POST', 200)
/** A POST that answers 201. */
export const create = writer('POST', 201)
export const patch = writer('PATCH', 200)
/** @public the contract has paths of this kind in areas to come */
export const put = writer('PUT', 200)
export const del = writer('DELETE', 200)
/** A stream of events: a tRPC subscription, and server-sent events over REST. `output` describes one event. */
export const live = <I extends z.ZodType, O extends z.ZodType>(path: Path, given: Read<I, O>) =>
  declare('subscription', 'GET', path, { produces: 'text/event-stream', ...given })
/** Anything that is not JSON both ways: downloads, uploads, redirects, scripts. Served over REST only. */
export const raw = <I extends z.ZodType>(method: Method, path: Path, given: Raw<I>) =>
  declare('raw', method, path, { ...given, output: z.unknown() })

// Parts of schemas. Only this file coerces query strings.

/** An ID in a path, query or body. Any UUID is valid; handlers check whether the object exists. */
export const id = () => z.guid().toLowerCase()
/** Invisible characters that Unicode counts as letters. */
const shapeless = /[\u115f\u1160\u2800\u3164\uffa0]/g
/** A name on one line with at least one visible character, normalized so that equal-looking names are equal. */
export const nameText = (most = 255) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .min(1)
    .max(most)
    .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text), {
      error: 'must not contain line breaks or control characters',
    })
    .refine((text) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replace(shapeless, '')), {
      error: 'must have a visible character',
    })
/** A time as ISO 8601 text, as in all responses. */
export const time = () => z.iso.datetime({ offset: true })
/** A time in a request: ISO 8601 with a zone, or a day (which begins in UTC). */
export const moment = () =>
  z
    .union([time(), z.iso.date()], { error: 'must be a moment such as 2026-01-31T09:00:00Z' })
    .refine((text) => Number(text.slice(0, 4)) >= 1900, { error: 'must not be before 1900' })
    .transform((text) => new Date(text).toISOString())
/** Whether the text is a time zone of the IANA database. */
export function isTimezone(text: string): boolean {
  try {
    return (
      /^[A-Za-z]/.test(text) && Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== undefined
    )
  } catch {
    return false
  }
}
/** A time zone in the spelling of the IANA database: `europe/berlin` is `Europe/Berlin`. */
export function timezoneName(text: string): string {
  const wanted = text.toLowerCase()
  const used = Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  return [used, ...Intl.supportedValuesOf('timeZone')].find((name) => name.toLowerCase() === wanted) ?? text
}
/** `true` or `false`, as JSON or as text. */
export const flag = () => z.union([z.boolean(), z.stringbool()], { error: 'must be true or false' })
/** A list given as `a,b,c`, as a repeated parameter or as an array. An empty list is rejected, because it would not filter. */
export const csv = <T extends z.ZodType>(item: T, most = 500) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',').filter((part) => part !== '') : value),
    z.array(item).min(1, { error: 'must not be empty. Leave it out to ask for all' }).max(most),
  )
const clamped = (least: number, most: number, otherwise: number) =>
  z
    .union([z.number(), z.string()])
    .optional()
    .transform((given) => {
      const number = Number(given)
      return given === undefined || given === '' || !Number.isFinite(number)
        ? otherwise
        : Math.min(Math.max(Math.trunc(number), least), most)
    })
/** Bounded so that the number of skipped rows stays an integer. */
export const pageNumber = () => clamped(1, Math.floor(Number.MAX_SAFE_INTEGER / 1_000), 1)
export const limit = (most = 100, otherwise = 50) => clamped(1, most, otherwise)
/** Pagination of most lists: page from 1, limit 1 to 100, by default 100. Values out of bounds are clamped. */
export const page = { page: pageNumber(), limit: limit(100, 100) }
/** Pagination of lists that have shorter pages in the contract. */
export const shortPage = { page: pageNumber(), limit: limit() }

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item),
    pagination: z.object({ page: z.number(), limit: z.number(), total: z.number() }),
  })
export const success = z.object({ success: z.literal(true) })
/** A free-form JSON object with a bound on its size. */
export const jsonObject = (bytesMax = 65_536) =>
  z
    .record(z.string(), z.json())
    .refine((value) => JSON.stringify(value).length <= bytesMax, { error: `must not exceed ${bytesMax} bytes of JSON` })

export const noUpdates = 'No updates provided'
/** What a PATCH may change, all optional. Nothing known given: `No updates provided`. */
export const changes = <P extends z.ZodRawShape, C extends z.ZodRawShape>(path: P, changeable: C) =>
  z
    .object(path)
    .extend(z.object(changeable).partial().shape)
    .refine(
      (given) =>
        Object.keys(changeable).some((name) => Object.hasOwn(given, name) && given[name as never] !== undefined),
      {
        error: noUpdates,
      },
    )
