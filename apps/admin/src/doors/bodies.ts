// Request bodies: the accepted media types, and bodies that are not read to their end.
import type { IncomingMessage } from 'node:http'
import type { AnyEndpoint } from '@muster/kit/contract.ts'
import { AppError } from '@muster/kit/errors.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { asBytes, decoded, jsonType, problemOfJson } from './json-text.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler gets a JSON body as bytes. */
    keepsBytes?: boolean
  }
}

/**
 * Parses JSON bodies in UTF-8, with exactly one meaning. Bodies of other accepted types reach their handlers unread, and JSON does
 * as bytes where an operation wants that. An empty body counts as no input.
 */
export function acceptBodies(app: FastifyInstance, operations: readonly { readonly endpoint: AnyEndpoint }[]) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(jsonType, { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    if (request.routeOptions.config.keepsBytes === true) return done(null, asBytes(body))
    const text = decoded(asBytes(body))
    if (text === null) return done(new AppError('VALIDATION_ERROR', 'The body is not valid JSON'))
    const unfit = problemOfJson(text)
    if (unfit !== null) return done(new AppError('VALIDATION_ERROR', unfit))
    return parse(request, text, done)
  })
  const unread = new Set(operations.map(({ endpoint }) => endpoint.consumes).filter((type) => !isJson(type)))
  for (const type of unread) app.addContentTypeParser(type, (_request, _payload, done) => done(null))
}

const isJson = (mediaType: string) => /[/+]json$/.test(mediaType)
const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** @throws UNSUPPORTED_MEDIA_TYPE when the operation does not accept the media type of the body */
export function refuseOtherBody({ consumes }: AnyEndpoint, request: FastifyRequest): void {
  const type = request.headers['content-type']
  if (type === undefined && !hasBody(request)) return
  const isTaken = isJson(consumes)
    ? jsonType.test(type ?? '')
    : type?.split(';', 1)[0]?.trim().toLowerCase() === consumes
  if (isTaken) return
  const words = isJson(consumes)
    ? `Send JSON, in UTF-8, with content-type ${consumes}`
    : `Send the body with content-type ${consumes}`
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', words)
}

const drainBytesMax = 16_777_216

/** Discards the rest of a body, so that the next request on the connection can be read. Closes the connection if it is too long. */
function drain(raw: IncomingMessage): void {
  let left = drainBytesMax
  // An abandoned reader still has a listener, which keeps the stream from flowing.
  raw.removeAllListeners('readable')
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) raw.destroy()
  })
  raw.resume()
}

/** Reads the rest of bodies that were answered early. Otherwise they would block the next request on the connection. */
export function drainUnreadBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { raw } = request
    if (!raw.complete && hasBody(request)) {
      const declared = Number(request.headers['content-length'] ?? 0)
      if (declared > drainBytesMax) reply.header('connection', 'close')
      reply.raw.once('finish', () => {
        if (!raw.complete && !raw.destroyed) drain(raw)
      })
    }
    done()
  })
}
