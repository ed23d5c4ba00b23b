// A fake of the S3 API that Muster uses: signatures, conditional writes, parts of 5 MiB, pages. Tests can make it fail.
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isSigned, type S3Credentials } from './s3-signature.ts'

export type S3Operation =
  | 'PutObject'
  | 'GetObject'
  | 'HeadObject'
  | 'DeleteObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'ListObjects'
  | 'ListMultipartUploads'

/** `lost`: done, but the connection ends before the response. `late`: an error in a response with status 200. */
export type S3Fault = 500 | 503 | 'silence' | 'lost' | 'cut' | 'late' | 'wrong-etag' | 'no-etag' | 'ignores-range'

interface S3Object {
  readonly bytes: Buffer
  readonly write: string
}
interface Upload {
  readonly key: string
  readonly write: string
  readonly begun: string
  readonly parts: Map<number, Buffer>
}

const partBytesMin = 5_242_880
const tagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`

function operationOf({ method }: IncomingMessage, { pathname, searchParams }: URL): S3Operation {
  const isBucket = pathname === '/bucket'
  if (isBucket) return searchParams.has('uploads') ? 'ListMultipartUploads' : 'ListObjects'
  const ofUpload = searchParams.has('uploadId')
  if (method === 'PUT') return ofUpload ? 'UploadPart' : 'PutObject'
  if (method === 'POST') return ofUpload ? 'CompleteMultipartUpload' : 'CreateMultipartUpload'
  if (method === 'DELETE') return ofUpload ? 'AbortMultipartUpload' : 'DeleteObject'
  return method === 'HEAD' ? 'HeadObject' : 'GetObject'
}

export class S3Server {
  readonly credentials: S3Credentials = { region: 'eu-central-1', accessKey: 'KEY', secretKey: 'SECRET' }
  readonly objects = new Map<string, S3Object>()
  readonly uploads = new Map<string, Upload>()
  /** The operations of all requests, in order. */
  readonly asked: S3Operation[] = []
  /** Keys per page of a list. */
  pageSize = 1_000
  /** Discards written bodies, for tests with large ones. */
  forgets = false
  readonly #faults: { readonly operation: S3Operation; readonly fault: S3Fault; left: number }[] = []
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  static async start(): Promise<S3Server> {
    const made = new S3Server()
    made.#server.listen(0, '127.0.0.1')
    await once(made.#server, 'listening')
    return made
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/bucket`
  }

  /** The settings of a store that uses this server. */
  get settings() {
    return { ...this.credentials, url: this.url, allowedNetworks: ['127.0.0.0/8'], retryMs: 1 }
  }

  fail(operation: S3Operation, fault: S3Fault, times = 1): void {
    this.#faults.push({ operation, fault, left: times })
  }

  #faultOf(operation: S3Operation): S3Fault | null {
    const found = this.#faults.find((one) => one.operation === operation && one.left > 0)
    if (found === undefined) return null
    found.left -= 1
    return found.fault
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '', 'http://storage')
    const operation = operationOf(request, url)
    this.asked.push(operation)
    const pieces: Buffer[] = []
    const hash = createHash('sha256')
    for await (const piece of request) {
      hash.update(piece)
      if (!this.forgets || request.method === 'POST') pieces.push(piece)
    }
    const body = Buffer.concat(pieces)
    const fault = this.#faultOf(operation)
    if (fault === 'silence') return
    if (!isSigned(request, hash.digest('hex'), this.credentials))
      return reply(response, 403, error('SignatureDoesNotMatch'))
    if (fault === 500) return reply(response, 500, error('InternalError'))
    if (fault === 503) return reply(response, 503, error('SlowDown'))
    if (fault === 'late') return reply(response, 200, error('InternalError'))
    if (fault === 'ignores-range') delete request.headers.range
    if (fault === 'lost') response.end = () => response.destroy()
    if (fault === 'cut') response.end = (bytes: unknown) => cutShort(response, bytes)
    if (fault === 'no-etag' || fault === 'wrong-etag') changeTag(response, fault)
    const key = url.pathname.slice('/bucket/'.length)
    this.#carryOut(operation, { request, response, url, key, body })
  }

  #carryOut(operation: S3Operation, given: Given) {
    const { response, url, key, body, request } = given
    const upload = this.uploads.get(url.searchParams.get('uploadId') ?? '')
    switch (operation) {
      case 'PutObject':
        return this.#put(given, body, String(request.headers['x-amz-meta-muster-write']))
      case 'GetObject':
      case 'HeadObject':
        return this.#get(given)
      case 'DeleteObject':
        this.objects.delete(key)
        return reply(response, 204)
      case 'CreateMultipartUpload': {
        const id = randomUUID()
        const write = String(request.headers['x-amz-meta-muster-write'])
        this.uploads.set(id, { key, write, begun: new Date().toISOString(), parts: new Map() })
        return reply(
          response,
          200,
          `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        )
      }
      case 'UploadPart':
        if (upload === undefined) return reply(response, 404, error('NoSuchUpload'))
        if (!this.forgets) upload.parts.set(Number(url.searchParams.get('partNumber')), body)
        response.setHeader('etag', tagOf(body))
        return reply(response, 200)
      case 'CompleteMultipartUpload':
        return this.#complete(given, upload)
      case 'AbortMultipartUpload':
        return reply(response, this.uploads.delete(url.searchParams.get('uploadId') ?? '') ? 204 : 404)
      case 'ListObjects':
        return this.#list(given)
      case 'ListMultipartUploads': {
        const lines = [...this.uploads].map(
          ([id, { key: name, begun }]) =>
            `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><Initiated>${begun}</Initiated></Upload>`,
        )
        return reply(response, 200, `<ListMultipartUploadsResult>${lines.join('')}</ListMultipartUploadsResult>`)
      }
    }
  }

  #put({ request, response, key }: Given, bytes: Buffer, write: string) {
    if (request.headers['if-none-match'] === '*' && this.objects.has(key))
      return reply(response, 412, error('PreconditionFailed'))
    this.objects.set(key, { bytes, write })
    response.setHeader('etag', tagOf(bytes))
    reply(response, 200, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>')
  }

  #get({ request, response, key }: Given) {
    const object = this.objects.get(key)
    if (object === undefined) return reply(response, 404, error('NoSuchKey'))
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const part = start === undefined ? object.bytes : object.bytes.subarray(Number(start), Number(end) + 1)
    const headers = { 'content-length': part.length, 'x-amz-meta-muster-write': object.write }
    response.writeHead(start === undefined ? 200 : 206, headers)
    response.end(request.method === 'HEAD' ? undefined : part)
  }

  #complete(given: Given, upload: Upload | undefined) {
    const { response, url, body } = given
    if (upload === undefined) return reply(response, 404, error('NoSuchUpload'))
    const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)
    const tags = [...String(body).matchAll(/<ETag>(.*?)<\/ETag>/g)].map(([, tag]) => tag?.replaceAll('&quot;', '"'))
    if (!this.forgets && parts.map(tagOf).join() !== tags.join()) return reply(response, 400, error('InvalidPart'))
    if (parts.slice(0, -1).some(({ length }) => length < partBytesMin))
      return reply(response, 400, error('EntityTooSmall'))
    this.#put({ ...given, key: upload.key }, Buffer.concat(parts), upload.write)
    if (response.statusCode === 200) this.uploads.delete(url.searchParams.get('uploadId') ?? '')
  }

  #list({ response, url }: Given) {
    const after = url.searchParams.get('continuation-token') ?? ''
    const prefix = url.searchParams.get('prefix') ?? ''
    const all = [...this.objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort()
    const shown = all.slice(0, this.pageSize)
    const lines = shown.map(
      (name) => `<Contents><Key>${name}</Key><Size>${this.objects.get(name)?.bytes.length}</Size></Contents>`,
    )
    const last = shown.at(-1)
    if (all.length > shown.length) lines.push(`<NextContinuationToken>${last}</NextContinuationToken>`)
    reply(response, 200, `<ListBucketResult>${lines.join('')}</ListBucketResult>`)
  }
}

interface Given {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly key: string
  readonly body: Buffer
}

const error = (code: string) => `<Error><Code>${code}</Code></Error>`

function reply(response: ServerResponse, status: number, text = ''): void {
  response.statusCode = status
  response.end(text)
}

/** Sends half of the body and ends the connection. */
function cutShort(response: ServerResponse, bytes: unknown): ServerResponse {
  if (bytes instanceof Uint8Array) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  else response.destroy()
  return response
}

function changeTag(response: ServerResponse, fault: 'no-etag' | 'wrong-etag'): void {
  const { setHeader } = response
  response.setHeader = (name, value) => {
    if (name !== 'etag') return setHeader.call(response, name, value)
    return fault === 'no-etag' ? response : setHeader.call(response, name, tagOf(Buffer.from('another')))
  }
}
