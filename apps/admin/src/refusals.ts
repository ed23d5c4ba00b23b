// What is refused before any operation is asked: HTTP that two programs could read in two ways. All of it answers in the
// one shape, `{ code, message }`.
import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '@muster/kit/errors.ts'
import { hostsAmong, type KnownHosts, misdirected } from '@muster/kit/known-hosts.ts'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'

/** Headers that say who asks and what comes; two of them would leave it open which one counts. */
const single = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'x-api-key',
  'x-service-csrf',
])
/** Characters that need no escape: with one, a path would have several spellings. */
const needlessEscape = /%(2d|2e|3\d|4[1-9a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9a]|7e)/i
const notAPath = /[#\\]/

const bad = (message: string) => new AppError('BAD_REQUEST', message)

function refuse({ raw, headers }: FastifyRequest, known: KnownHosts): void {
  if (raw.httpVersion !== '1.1' && raw.httpVersion !== '1.0') throw bad('Speak HTTP/1.1')
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
  if (coding !== undefined && coding !== 'chunked') throw bad('Send the body plainly or in chunks')
  const [path = ''] = (raw.url ?? '').split('?', 1)
  if (needlessEscape.test(path) || notAPath.test(raw.url ?? '')) throw new AppError('NOT_FOUND', 'No such path')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a content-encoding')
  }
}

const isForUs = ({ rawHeaders, url = '' }: FastifyRequest['raw'], known: KnownHosts) =>
  known.knows({ hosts: hostsAmong(rawHeaders), target: url })

export function refuseAmbiguity(app: FastifyInstance, known: KnownHosts): void {
  app.addHook('onRequest', async (request, reply) => {
    try {
      refuse(request, known)
    } catch (error) {
      // Whatever follows on this connection may have been meant to be a part of this request.
      reply.header('connection', 'close')
      throw error
    }
  })
}

/** What the framework refuses before any hook of ours has run: a request for another name learns nothing else. */
export const earlyRefusal = (error: FastifyError, { raw }: FastifyRequest, known: KnownHosts) =>
  isForUs(raw, known) ? refusal(error) : misdirected()

/** What the HTTP server itself refuses, in our codes. */
export function refusal(error: FastifyError): AppError | FastifyError {
  if (error instanceof AppError || error.statusCode === undefined) return error
  if (error.statusCode === 413) return new AppError('PAYLOAD_TOO_LARGE', 'The request body is too large')
  if (error.statusCode === 414) return new AppError('NOT_FOUND', 'No such path')
  if (error.statusCode === 415) {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON, in UTF-8, with content-type application/json')
  }
  if (error.code === 'FST_ERR_BAD_URL') return bad('The path is not well formed')
  if (error.statusCode < 400 || error.statusCode >= 500) return error
  return new AppError(
    'VALIDATION_ERROR',
    /JSON|content length|body/i.test(error.message) ? 'The body is not valid JSON' : error.message,
  )
}

const spoken: Readonly<Record<string, readonly [status: string, code: ErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'BAD_REQUEST', 'The headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'BAD_REQUEST', 'The request did not arrive in time'],
}

/** Answers what was no HTTP at all, and closes the connection: whatever follows on it cannot be trusted either. */
export function refuseNonsense(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, code, message] = spoken[error.code ?? ''] ?? ['400 Bad Request', 'BAD_REQUEST', 'This is not HTTP/1.1']
  const body = JSON.stringify({ code, message })
  const head = ['content-type: application/json; charset=utf-8', `content-length: ${body.length}`, 'connection: close']
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
