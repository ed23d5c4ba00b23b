// The REST API: one Fastify route per declared operation, under /api/v1.
import { Readable } from 'node:stream'
import type { Operation } from '@muster/areas/operation.ts'
import type { Services } from '@muster/areas/services.ts'
import type { Db } from '@muster/db/database.ts'
import type { RawAnswer, Runtime } from '@muster/kit/call.ts'
import type { AnyEndpoint } from '@muster/kit/contract.ts'
import { AppError } from '@muster/kit/errors.ts'
import { follow } from '@muster/kit/operation/follow.ts'
import { run } from '@muster/kit/operation/run.ts'
import { takesProof } from '@muster/kit/schema/proof.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { translated } from '../refusals.ts'
import { answersHead, sendHead, sendJson, sendRaw } from './answers.ts'
import { refuseOtherBody } from './bodies.ts'
import { eventStream } from './event-stream.ts'
import { internal, publicError } from './failure.ts'
import { replyTo, requestOf } from './request.ts'

type Fields = Record<string, unknown>
const plainObject = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {}

/** @throws NOT_FOUND when an ID is empty */
function inPath({ params }: Pick<FastifyRequest, 'params'>): Fields {
  const given = plainObject(params)
  if (Object.values(given).includes('')) throw new AppError('NOT_FOUND', 'No such path')
  return given
}

/**
 * Combines the parameters of the path with those of the query (GET, DELETE) or the body (other methods). Query parameters
 * that an operation with a body declares are included.
 * @throws VALIDATION_ERROR for a field in the wrong place, or with another value than in the path
 */
function inputOf(
  { kind, method, query, inputIn, unread }: AnyEndpoint,
  { query: asked, body, params }: FastifyRequest,
): Fields {
  if (!unread && body !== null && body !== undefined && (typeof body !== 'object' || Array.isArray(body))) {
    throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object')
  }
  const given = inPath({ params })
  const inQuery = plainObject(asked)
  const sent = unread ? {} : plainObject(body)
  // The body of a raw operation is bytes, so its fields are in the query.
  const hasBody = inputIn === 'body' || (kind !== 'raw' && method !== 'GET' && method !== 'DELETE')
  const misplaced = hasBody ? Object.keys(inQuery).find((name) => !query.includes(name)) : undefined
  if (misplaced !== undefined) {
    throw new AppError('VALIDATION_ERROR', `${misplaced}: must be sent in the body, not in the query`)
  }
  const twice = Object.entries({ ...inQuery, ...sent }).find(([name, value]) => name in given && given[name] !== value)
  if (twice !== undefined)
    throw new AppError('VALIDATION_ERROR', `${twice[0]}: must have the same value as in the path`)
  return { ...inQuery, ...sent, ...given }
}

/** Rejects passwords and codes in the query, because URLs are stored in logs and browser histories. */
function rejectSecretsInQuery({ stepUp, inputIn }: AnyEndpoint, { query }: FastifyRequest) {
  const names = Object.keys(plainObject(query))
  const wrong = names.find(
    (name) => name === 'currentPassword' || inputIn === 'body' || (name === 'code' && takesProof(stepUp)),
  )
  if (wrong !== undefined)
    throw new AppError('VALIDATION_ERROR', `${wrong}: must be sent in the body, not in the query`)
}

export interface DoorOptions {
  readonly operations: readonly Operation[]
  readonly runtime: Runtime<Db, Services>
  readonly secureCookies: boolean
}

/** Sends an error in the format of the contract: `{ code, message }`. */
export function sendFailure(error: unknown, request: FastifyRequest, http: FastifyReply) {
  const failure = errorOf(error, request, http)
  return http.code(failure.status).send(failure.body())
}

function errorOf(error: unknown, request: FastifyRequest, http: FastifyReply): AppError {
  const known = publicError(error)
  if (known === null) request.log.error({ err: error, requestId: request.id }, 'a request failed')
  const failure = known ?? internal(request.id)
  if (failure.status === 401) http.header('www-authenticate', 'Bearer')
  if (typeof failure.extra.retryAfter === 'number') http.header('retry-after', String(failure.extra.retryAfter))
  if (failure.status === 429) http.header('ratelimit', `"operation";r=0;t=${failure.extra.retryAfter ?? 1}`)
  return failure
}

/** Sends an error in the format and media type that the operation declares. */
function sendFailureOf(
  { failure, produces }: AnyEndpoint,
  error: FastifyError,
  request: FastifyRequest,
  http: FastifyReply,
) {
  if (failure === null) return sendFailure(translated(error), request, http)
  const { status, code, message, extra } = errorOf(translated(error), request, http)
  return http
    .code(status)
    .type(produces)
    .send(JSON.stringify(failure({ status, code, message, extra })))
}

/** A path with a trailing slash in the contract is served without it as well. All others are exact. */
const spellings = (path: string) => (path.endsWith('/') ? [path, path.slice(0, -1)] : [path])

/** The body of a raw operation. The parser has read JSON that an operation wants as bytes. */
function bytesOf({ unread }: AnyEndpoint, http: FastifyRequest): AsyncIterable<Uint8Array> {
  if (!unread) return http.raw.iterator({ destroyOnReturn: false })
  return Readable.from(http.body instanceof Uint8Array ? [http.body] : [])
}

function routeOf(app: FastifyInstance, url: string, operation: Operation, options: DoorOptions) {
  const { endpoint } = operation
  const { runtime, secureCookies } = options
  app.route({
    method: answersHead(endpoint) ? [endpoint.method, 'HEAD'] : endpoint.method,
    url,
    bodyLimit: endpoint.bodyBytesMax,
    exposeHeadRoute: false,
    config: { keepsBytes: endpoint.unread },
    onRequest(http, _answer, done) {
      if (endpoint.method !== 'GET') refuseOtherBody(endpoint, http)
      done()
    },
    errorHandler: (error: FastifyError, request, reply) => sendFailureOf(endpoint, error, request, reply),
    async handler(http, answer) {
      const raw = endpoint.kind === 'raw'
      rejectSecretsInQuery(endpoint, http)
      // Leaving the body early must not close the connection, because the error response still has to be sent.
      const body = raw && endpoint.method !== 'GET' ? bytesOf(endpoint, http) : null
      const request = requestOf(http, answer, body)
      const reply = replyTo(answer, secureCookies)
      if (endpoint.kind === 'subscription') {
        const events = follow(operation, inputOf(endpoint, http), request, reply, runtime)
        const first = await events.next()
        return answer
          .headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
          .send(eventStream(first, events))
      }
      const output = await run(operation, inputOf(endpoint, http), request, reply, runtime)
      if (raw)
        return http.method === 'HEAD'
          ? sendHead(answer, output as RawAnswer)
          : sendRaw(http, answer, output as RawAnswer)
      return sendJson(http, answer, operation, output)
    },
  })
}

/** Registers all operations. Other methods of a known path return 405, unknown paths 404. */
export function serveRest(app: FastifyInstance, options: DoorOptions) {
  const methodsOf = new Map<string, Set<string>>()
  for (const operation of options.operations) {
    for (const url of spellings(operation.endpoint.path)) {
      routeOf(app, url, operation, options)
      const methods = methodsOf.get(url) ?? new Set()
      methodsOf.set(url, methods.add(operation.endpoint.method))
      if (answersHead(operation.endpoint)) methods.add('HEAD')
    }
  }
  for (const [path, methods] of methodsOf) {
    const others = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const).filter(
      (method) => !methods.has(method),
    )
    app.route({
      method: others,
      url: path,
      exposeHeadRoute: false,
      async handler(http, answer) {
        inPath(http)
        answer.header('allow', [...methods].join(', '))
        throw new AppError(
          'METHOD_NOT_ALLOWED',
          'The path does not support this method. The header allow lists the supported ones',
        )
      },
    })
  }
}
