// The tRPC API: one procedure per declared operation. It calls the same `run` as REST.
import type { Operation } from '@muster/areas/operation.ts'
import { AppError } from '@muster/kit/errors.ts'
import { follow } from '@muster/kit/operation/follow.ts'
import { run } from '@muster/kit/operation/run.ts'
import { type AnyTRPCRouter, initTRPC, TRPCError } from '@trpc/server'
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { compressedResponse } from './answers.ts'
import { internal, publicError } from './failure.ts'
import { asBytes, decoded, jsonType, problemOfJson } from './json-text.ts'
import { replyTo, requestOf } from './request.ts'
import type { DoorOptions } from './rest.ts'

/** tRPC has no code for 421. These requests are rejected before they reach tRPC. */
const trpcCodes: Readonly<Record<number, TRPCError['code']>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  421: 'BAD_REQUEST',
  422: 'UNPROCESSABLE_CONTENT',
  428: 'PRECONDITION_REQUIRED',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
}

interface Context {
  readonly http: FastifyRequest
  readonly answer: FastifyReply
}

const t = initTRPC.context<Context>().create({
  // Stack traces belong in logs only, regardless of NODE_ENV.
  isDev: false,
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
  errorFormatter({ shape, error }) {
    const { cause } = error
    const known = cause instanceof AppError ? cause : null
    // Errors of tRPC itself (unknown path, invalid JSON) have no cause, so its own code is used.
    const appCode = known?.code ?? (error.code === 'NOT_FOUND' ? 'NOT_FOUND' : 'BAD_REQUEST')
    const { stack: _, ...data } = shape.data
    return {
      ...shape,
      data: { ...data, httpStatus: known ? known.status : data.httpStatus, appCode, ...known?.extra },
    }
  },
})

function trpcErrorOf(error: unknown, log: FastifyBaseLogger, requestId: string): TRPCError {
  const known = publicError(error)
  if (known === null) log.error({ err: error, requestId }, 'a request failed')
  const cause = known ?? internal(requestId)
  return new TRPCError({ code: trpcCodes[cause.status] ?? 'INTERNAL_SERVER_ERROR', message: cause.message, cause })
}

function procedureOf(operation: Operation, { runtime, secureCookies }: DoorOptions) {
  const procedure = t.procedure.input((input: unknown) => input ?? {})
  const callParts = (ctx: Context) =>
    [requestOf(ctx.http, ctx.answer), replyTo(ctx.answer, secureCookies), runtime] as const
  const once = ({ ctx, input }: { ctx: Context; input: unknown }) =>
    run(operation, input, ...callParts(ctx)).catch((error: unknown) => {
      throw trpcErrorOf(error, ctx.http.log, ctx.http.id)
    })
  switch (operation.endpoint.kind) {
    case 'query':
      return procedure.query(once)
    case 'mutation':
      return procedure.mutation(once)
    case 'subscription':
      return procedure.subscription(async function* ({ ctx, input }) {
        try {
          yield* follow(operation, input, ...callParts(ctx))
        } catch (error) {
          throw trpcErrorOf(error, ctx.http.log, ctx.http.id)
        }
      })
    case 'raw':
      return null
  }
}

type Procedure = NonNullable<ReturnType<typeof procedureOf>>

function routerOf(options: DoorOptions): AnyTRPCRouter {
  const areas: Record<string, Record<string, Record<string, Procedure>>> = {}
  for (const operation of options.operations) {
    const procedure = procedureOf(operation, options)
    if (procedure === null) continue
    const [area = '', resource = '', verb = ''] = operation.id.split('.')
    const resources = areas[area] ?? {}
    areas[area] = { ...resources, [resource]: { ...resources[resource], [verb]: procedure } }
  }
  return t.router(areas)
}

/** Calls per batch: more than a page of the console makes, and few enough for one request. */
const callsPerBatch = 30

/** Keeps bodies as text. The router parses them after the text was checked. */
function acceptJsonText(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(jsonType, { parseAs: 'buffer' }, (_request, body, done) => {
    const text = decoded(asBytes(body))
    if (text === null) return done(new AppError('VALIDATION_ERROR', 'The body is not valid JSON'))
    const problem = problemOfJson(text)
    return problem === null ? done(null, text) : done(new AppError('VALIDATION_ERROR', problem))
  })
}

export async function serveTrpc(app: FastifyInstance, options: DoorOptions) {
  const router = routerOf(options)
  await app.register(async (door) => {
    acceptJsonText(door)
    door.addHook('onSend', async (request, _reply, payload) =>
      payload instanceof Response ? compressedResponse(request, payload) : payload,
    )
    door.all<{ Params: { path: string }; Querystring: { input?: unknown } }>('/trpc/:path', async (req, res) => {
      const { input } = req.query
      const problem = typeof input === 'string' ? problemOfJson(input) : null
      if (problem !== null) throw new AppError('VALIDATION_ERROR', problem)
      const createContext = (): Context => ({ http: req, answer: res })
      await fastifyRequestHandler({
        router,
        createContext,
        req,
        res,
        path: req.params.path,
        maxBatchSize: callsPerBatch,
      })
    })
  })
}
