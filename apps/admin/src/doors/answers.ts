// Answers of the REST door: their version, their coding, and what of them a HEAD says.
import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompressSync, constants, createGzip, gzip, gzipSync } from 'node:zlib'
import type { Operation } from '@muster/areas/operation.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { etagOf, isKnown } from '@muster/kit/conditions.ts'
import type { AnyEndpoint } from '@muster/kit/contract.ts'
import { opened } from '@muster/kit/raw-body.ts'
import { hasVersion } from '@muster/kit/statuses.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compressedBytesMin = 2_048
const level = 4
const gzipped = promisify(gzip)

/** HEAD answers as GET does. A stream has no end to tell of, and a raw operation says itself whether it can. */
export const answersHead = ({ kind, method, head }: AnyEndpoint): boolean =>
  head || (kind === 'query' && method === 'GET')

const takesGzip = ({ headers }: FastifyRequest): boolean =>
  /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?:1|0?\.\d*[1-9]\d*)(?:\.0*)?\s*)?(?:,|$)/i.test(
    String(headers['accept-encoding'] ?? ''),
  )

/** An answer of the tRPC door to queries, compressed as over REST. Streams of answers stay as they are. */
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
 * Only reads are compressed. Answers to changes can hold new secrets beside what the caller sent, and the length of a
 * compressed answer tells about both together.
 */
export async function sendJson(request: FastifyRequest, http: FastifyReply, { endpoint }: Operation, json: string) {
  http.code(endpoint.status).header('content-type', 'application/json; charset=utf-8')
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

/** A text that never changes, in the codings that its readers take. */
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

/** Exports of text, of which the length is not known before. */
function compressedStream(request: FastifyRequest, http: FastifyReply, body: Readable): Readable {
  const isText = /^(?:text\/csv|application\/json)/.test(String(http.getHeader('content-type')))
  if (!isText || http.hasHeader('content-length') || request.method !== 'GET' || !takesGzip(request)) return body
  http.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  return pipeline(body, createGzip({ level, flush: constants.Z_SYNC_FLUSH }), () => undefined)
}

/** What a HEAD says: everything but the body, which is not opened, and of which the length is told where it is known. */
export function sendHead(http: FastifyReply, { status = 200, headers, body }: RawAnswer) {
  http.code(status).headers(headers)
  if (typeof body === 'string' || body instanceof Uint8Array) http.header('content-length', Buffer.byteLength(body))
  // Bytes, because of a text the type would be told in other words than with GET.
  return http.send(Buffer.alloc(0))
}

export async function sendRaw(request: FastifyRequest, http: FastifyReply, answer: RawAnswer) {
  // Before the status is set: a body that cannot be opened fails like anything else.
  const body = await opened(answer.body)
  http.code(answer.status ?? 200).headers(answer.headers)
  if (typeof body === 'string') return http.send(body)
  if (body instanceof Uint8Array) return http.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  if (!http.raw.closed) return http.send(compressedStream(request, http, body))
  // The client left while it was opened: nothing else would close it.
  body.destroy()
  return http
}
