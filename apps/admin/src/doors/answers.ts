// Responses of the REST API: ETags, compression, and responses to HEAD.
import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompressSync, constants, createGzip, gzip, gzipSync } from 'node:zlib'
import type { Operation } from '@muster/areas/operation.ts'
import { opened } from '@muster/kit/body/raw-body.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import type { AnyEndpoint } from '@muster/kit/contract.ts'
import { etagOf, isKnown } from '@muster/kit/operation/conditions.ts'
import { hasVersion, statusOfAnswer } from '@muster/kit/schema/statuses.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compressedBytesMin = 2_048
const level = 4
const gzipped = promisify(gzip)

/** HEAD is answered like GET. Streams have no HEAD, and raw operations declare whether they have one. */
export const answersHead = ({ kind, method, head }: AnyEndpoint): boolean =>
  head || (kind === 'query' && method === 'GET')

const takesGzip = ({ headers }: FastifyRequest): boolean =>
  /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?:1|0?\.\d*[1-9]\d*)(?:\.0*)?\s*)?(?:,|$)/i.test(
    String(headers['accept-encoding'] ?? ''),
  )

/** Compresses a tRPC response to a query, as REST does. Streams stay as they are. */
export async function compressedResponse(request: FastifyRequest, answer: Response): Promise<Response> {
  const isRead = request.method === 'GET' && request.headers['trpc-accept'] === undefined
  if (!isRead || !answer.headers.get('content-type')?.startsWith('application/json')) return answer
  const headers = new Headers(answer.headers)
  headers.append('vary', 'accept-encoding')
  const json = await answer.text()
  const compress = json.length >= compressedBytesMin && takesGzip(request)
  if (compress) headers.set('content-encoding', 'gzip')
  return new Response(compress ? new Uint8Array(await gzipped(json, { level })) : json, {
    status: answer.status,
    headers,
  })
}

/**
 * Compresses only responses to reads. A response to a change can contain a new secret beside input of the caller, and the
 * compressed length would reveal information about the secret.
 */
export async function sendJson(request: FastifyRequest, http: FastifyReply, { endpoint }: Operation, output: unknown) {
  const json = JSON.stringify(output)
  http.code(statusOfAnswer(endpoint, output)).header('content-type', 'application/json; charset=utf-8')
  const isRead = endpoint.kind === 'query'
  const compress = isRead && json.length >= compressedBytesMin && takesGzip(request)
  if (isRead) http.header('vary', 'accept-encoding')
  if (hasVersion(endpoint)) {
    const etag = etagOf(json)
    http.header('etag', compress ? etag.replace(/"$/, '-gzip"') : etag)
    if (isKnown(request.headers['if-none-match'], etag)) return http.code(304).removeHeader('content-type').send()
  }
  if (compress) http.header('content-encoding', 'gzip')
  const body = compress ? await gzipped(json, { level }) : json
  if (request.method !== 'HEAD') return http.send(body)
  http.header('content-length', Buffer.byteLength(body))
  return http.send(Buffer.alloc(0))
}

/** Serves a constant text, compressed once for each encoding. */
export function constantText(type: string, text: string) {
  const codings = {
    br: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    gzip: gzipSync(text),
  }
  return (request: FastifyRequest, http: FastifyReply) => {
    http.headers({ 'content-type': type, vary: 'accept-encoding' })
    const coding = /\bbr\b(?!;\s*q=0)/.test(String(request.headers['accept-encoding'])) ? 'br' : 'gzip'
    if (coding === 'gzip' && !takesGzip(request)) return http.send(text)
    return http.header('content-encoding', coding).send(codings[coding])
  }
}

/** Compresses a text export of unknown length. */
function compressedStream(request: FastifyRequest, http: FastifyReply, body: Readable): Readable {
  const isText = /^(?:text\/csv|application\/json)/.test(String(http.getHeader('content-type')))
  if (!isText || http.hasHeader('content-length') || request.method !== 'GET' || !takesGzip(request)) return body
  http.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  return pipeline(body, createGzip({ level, flush: constants.Z_SYNC_FLUSH }), () => undefined)
}

/** Answers HEAD: all headers of a GET, with the length when it is known. The body is not opened. */
export function sendHead(http: FastifyReply, { status = 200, headers, body }: RawAnswer) {
  http.code(status).headers(headers)
  if (typeof body === 'string' || body instanceof Uint8Array) http.header('content-length', Buffer.byteLength(body))
  // Send bytes, because Fastify changes the content type of a text.
  return http.send(Buffer.alloc(0))
}

export async function sendRaw(request: FastifyRequest, http: FastifyReply, answer: RawAnswer) {
  // Open the body before the status is set, so that a failure is answered like any other error.
  const body = await opened(answer.body)
  http.code(answer.status ?? 200).headers(answer.headers)
  if (typeof body === 'string') return http.send(body)
  if (body instanceof Uint8Array) return http.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  if (!http.raw.closed) return http.send(compressedStream(request, http, body))
  // The client disconnected meanwhile. Nothing else would close the body.
  body.destroy()
  return http
}
