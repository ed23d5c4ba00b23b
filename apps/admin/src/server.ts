import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import type { Operation } from '@muster/areas/operation.ts'
import { denialsOf } from '@muster/areas/platform/audit/denials.ts'
import type { Services } from '@muster/areas/services.ts'
import type { Db } from '@muster/db/database.ts'
import type { Runtime } from '@muster/kit/call.ts'
import { AppError } from '@muster/kit/errors.ts'
import { KnownHosts } from '@muster/kit/network/known-hosts.ts'
import { openApiDocument } from '@muster/kit/schema/openapi.ts'
import { type FastifyBaseLogger, type FastifyError, type FastifyInstance, fastify, LogController } from 'fastify'
import type { Registry } from 'prom-client'
import { endConnections } from './closing.ts'
import { serveConsole } from './console.ts'
import { serveDevOutbox } from './dev-outbox.ts'
import { serveDocs } from './docs-page.ts'
import { constantText } from './doors/answers.ts'
import { acceptBodies, drainUnreadBodies } from './doors/bodies.ts'
import { requestIdOf } from './doors/request.ts'
import { sendFailure, serveRest } from './doors/rest.ts'
import { serveTrpc } from './doors/trpc.ts'
import { EarlyAnswers } from './early-answers.ts'
import { loggedPath } from './logged-path.ts'
import { observeRequests } from './metrics.ts'
import type { OpenRequests } from './open-requests.ts'
import { answerParserError, rejectAmbiguousRequests, translated } from './refusals.ts'

export interface ServerOptions {
  readonly operations: readonly Operation[]
  readonly runtime: Runtime<Db, Services>
  readonly log: FastifyBaseLogger
  readonly trustedProxies: readonly string[]
  /** The registry of request metrics. */
  readonly registry: Registry
  /** Records open requests. */
  readonly openRequests?: OpenRequests
  /** An event stream whose client reads nothing for this time is closed. */
  readonly stalledMs?: number
  /** The folder of the built console. Without it, only the API is served. */
  readonly consoleFolder?: string
}

/** The HTTP server with REST, tRPC, the API description and its page. It does not listen yet. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { operations, runtime, log, stalledMs = 45_000 } = options
  const { settings } = runtime.services
  const knownHosts = new KnownHosts([settings.publicUrl, settings.ingestUrl], settings.allowedHosts)
  const secureCookies = settings.publicUrl.startsWith('https:')
  const earlyAnswers = new EarlyAnswers(runtime, knownHosts)
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    bodyLimit: 1_048_576,
    requestTimeout: 120_000,
    connectionTimeout: 130_000,
    keepAliveTimeout: 72_000,
    return503OnClosing: true,
    routerOptions: { maxParamLength: 10_000 },
    frameworkErrors: (error, request, reply) => earlyAnswers.refuse(error, request, reply),
    clientErrorHandler: answerParserError,
    // `rejectAmbiguousRequests` checks the header with an error of Muster.
    http: { requireHostHeader: false },
  })
  acceptBodies(app, operations)
  observeRequests(app, options.registry)
  options.openRequests?.follow(app)
  endConnections(app, stalledMs)
  rejectAmbiguousRequests(app, knownHosts)
  drainUnreadBodies(app)
  app.setErrorHandler((error: FastifyError, request, reply) => sendFailure(translated(error), request, reply))
  // Hooks of each request use callbacks, because promises cost one more turn of the event loop each.
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-request-id', request.id)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    earlyAnswers.limit(request, reply, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        requestId: request.id,
        method: request.method,
        url: loggedPath(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
    done()
  })
  // All requests are answered by now, so the counts of rejections are complete.
  app.addHook('onClose', () => denialsOf(runtime.services).end())
  await app.register(helmet, {
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
    strictTransportSecurity: secureCookies,
  })
  await app.register(cookie)
  const doors = { operations, runtime, secureCookies }
  // Some identity providers look for SCIM at the root instead of below /api/v1.
  const provisioning = operations.filter(({ endpoint }) => endpoint.path.startsWith('/scim/'))
  serveRest(app, { ...doors, operations: provisioning })
  await app.register(
    async (api) => {
      serveRest(api, doors)
      const document = JSON.stringify(openApiDocument(operations, settings.version, `${settings.publicUrl}/api/v1`))
      const send = constantText('application/json; charset=utf-8', document)
      api.get('/openapi.json', async (request, reply) => send(request, reply))
    },
    { prefix: '/api/v1' },
  )
  await serveTrpc(app, doors)
  await serveDocs(app)
  serveDevOutbox(app, runtime.services)
  const servePage = options.consoleFolder === undefined ? null : await serveConsole(app, options.consoleFolder)
  app.setNotFoundHandler(async (request, reply) => {
    if (await servePage?.(request, reply)) return reply
    return sendFailure(new AppError('NOT_FOUND', 'No such path'), request, reply)
  })
  return app
}
