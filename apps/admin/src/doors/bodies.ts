// Bodies of requests: which media types are taken, and what becomes of a body that is not read to its end.
import type { IncomingMessage } from 'node:http'
import type { AnyEndpoint } from '@muster/kit/contract.ts'
import { AppError } from '@muster/kit/errors.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { asBytes, decoded, jsonType, problemOfJson } from './json-text.ts'

/**
 * JSON in UTF-8, parsed, of one reading. Bodies of the other types that operations take reach their handlers unread. An empty
 * body counts as no input.
 */
export function acceptBodies(app: FastifyInstance, operations: readonly { readonly endpoint: AnyEndpoint }[]) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(jsonType, { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
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

/** @throws UNSUPPORTED_MEDIA_TYPE when the request brings a body of a type that the operation does not take */
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

/** Reads and drops the rest of a body, so that the next request on the connection is found. Too long a rest ends the connection. */
function drain(raw: IncomingMessage): void {
  let left = drainBytesMax
  // A reader that was abandoned between two chunks still listens, and as long as it does nothing flows.
  raw.removeAllListeners('readable')
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) raw.destroy()
  })
  raw.resume()
}

/** A request that is answered before its body was read must not block the requests behind it. */
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
