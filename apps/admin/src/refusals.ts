// Rejects requests that two HTTP parsers could read in two ways, before any operation is called. All errors have the format
// `{ code, message }`.
import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '@muster/kit/errors.ts'
import { hostsAmong, type KnownHosts, misdirected } from '@muster/kit/network/known-hosts.ts'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'

/** Headers that may occur only once, because they decide about the caller and the body. */
const single = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'x-api-key',
  'x-service-csrf',
])
/** Escapes of characters that need none. They would give a path several spellings. */
const needlessEscape = /%(2d|2e|3\d|4[1-9a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9a]|7e)/i
const notAPath = /[#\\]/

const bad = (message: string) => new AppError('BAD_REQUEST', message)

function requireUnambiguous({ raw, headers }: FastifyRequest, known: KnownHosts): void {
  if (raw.httpVersion !== '1.1' && raw.httpVersion !== '1.0') throw bad('Use HTTP/1.1')
  const seen = new Set<string>()
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const name = raw.rawHeaders[index]?.toLowerCase() ?? ''
    if (!single.has(name)) continue
    if (seen.has(name)) throw bad(`The header ${name} was sent twice`)
    seen.add(name)
  }
  if (!seen.has('host') && raw.httpVersion === '1.1') throw bad('The header host is missing')
  if (!isForUs(raw, known)) throw misdirected()
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding !== 'chunked') throw bad('transfer-encoding: only chunked is supported')
  const [path = ''] = (raw.url ?? '').split('?', 1)
  if (needlessEscape.test(path) || notAPath.test(raw.url ?? '')) throw new AppError('NOT_FOUND', 'No such path')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a content-encoding')
  }
}

const isForUs = ({ rawHeaders, url = '' }: FastifyRequest['raw'], known: KnownHosts) =>
  known.knows({ hosts: hostsAmong(rawHeaders), target: url })

export function rejectAmbiguousRequests(app: FastifyInstance, known: KnownHosts): void {
  app.addHook('onRequest', async (request, reply) => {
    try {
      requireUnambiguous(request, known)
    } catch (error) {
      // The rest of the data on this connection may belong to this request, so the connection is closed.
      reply.header('connection', 'close')
      throw error
    }
  })
}

/** Translates errors of the framework before the first hook. A request for another host learns nothing else. */
export const errorBeforeHooks = (error: FastifyError, { raw }: FastifyRequest, known: KnownHosts) =>
  isForUs(raw, known) ? translated(error) : misdirected()

/** Translates errors of the HTTP server to error codes of Muster. */
export function translated(error: FastifyError): AppError | FastifyError {
  if (error instanceof AppError || error.statusCode === undefined) return error
  if (error.statusCode === 413) return new AppError('PAYLOAD_TOO_LARGE', 'The request body is too large')
  if (error.statusCode === 414) return new AppError('NOT_FOUND', 'No such path')
  if (error.statusCode === 415) {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON, in UTF-8, with content-type application/json')
  }
  if (error.code === 'FST_ERR_BAD_URL') return bad('The path is not a valid URL')
  if (error.statusCode < 400 || error.statusCode >= 500) return error
  return new AppError(
    'VALIDATION_ERROR',
    /JSON|content length|body/i.test(error.message) ? 'The body is not valid JSON' : error.message,
  )
}

const parserErrors: Readonly<Record<string, readonly [status: string, code: ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'BAD_REQUEST', 'The headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'BAD_REQUEST', 'The request did not arrive in time'],
}

/** Answers data that is not HTTP and closes the connection, because the rest of the data cannot be trusted either. */
export function answerParserError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, code, message] = parserErrors[error.code ?? ''] ?? [
    '400 Bad Request',
    'BAD_REQUEST',
    'This is not HTTP/1.1',
  ]
  const body = JSON.stringify({ code, message })
  const head = ['content-type: application/json; charset=utf-8', `content-length: ${body.length}`, 'connection: close']
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
