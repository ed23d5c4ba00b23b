import { createHash, createHmac } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type OutgoingRequest, requestOutside, streamOutside } from '@muster/kit/outgoing.ts'
import { type ByteRange, checkedPath, type ReleaseStore } from './store.ts'

export interface S3Settings {
  /** Address of the bucket, with a prefix if wanted: `https://s3.example.com/bucket/releases`. */
  readonly url: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
  /** Networks in which the storage may lie although they are not public. */
  readonly allowedNetworks: readonly string[]
}

const objectBytesMax = 1_073_741_824
const timeoutMs = 30_000
const sizeMemoryMs = 5_000
const sizesRemembered = 1_000

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** The headers that sign a request for an object storage: AWS Signature, version 4. */
export function signedHeaders(
  { region, accessKey, secretKey }: Omit<S3Settings, 'url' | 'allowedNetworks'>,
  { method, url, payloadHash, at }: { method: string; url: URL; payloadHash: string; at: Date },
): Record<string, string> {
  const moment = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = `${moment.slice(0, 8)}/${region}/s3/aws4_request`
  const headers = { host: url.host, 'x-amz-content-sha256': payloadHash, 'x-amz-date': moment }
  const names = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const canonical = [method, url.pathname, '', lines.join(''), names, payloadHash].join('\n')
  const text = ['AWS4-HMAC-SHA256', moment, scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretKey}`)
  const signature = hmac(Buffer.from(key), text).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { ...headers, authorization }
}

/** Releases in an object storage that speaks S3. */
export class S3Store implements ReleaseStore {
  readonly #settings: S3Settings
  readonly #sizes = new Map<string, { readonly askedAt: number; readonly size: Promise<number | null> }>()

  constructor(settings: S3Settings) {
    this.#settings = settings
  }

  /** Remembered for a moment, because anyone may ask without a credential and every answer costs the storage a request. */
  size(path: string): Promise<number | null> {
    const known = this.#sizes.get(path)
    if (known !== undefined && known.askedAt > Date.now() - sizeMemoryMs) return known.size
    const size = this.#askSize(path)
    this.#sizes.delete(path)
    this.#sizes.set(path, { askedAt: Date.now(), size })
    const [oldest] = this.#sizes.keys()
    if (this.#sizes.size > sizesRemembered && oldest !== undefined) this.#sizes.delete(oldest)
    const forget = () => {
      if (this.#sizes.get(path)?.size === size) this.#sizes.delete(path)
    }
    // What is missing may be written any moment.
    size.then((found) => found === null && forget(), forget)
    return size
  }

  async #askSize(path: string): Promise<number | null> {
    const { status, headers } = await requestOutside(...this.#request('HEAD', path))
    if (status === 404) return null
    if (status !== 200) throw new Error(`The storage answered ${status} for ${path}`)
    return Number(headers['content-length'])
  }

  async stream(path: string, range?: ByteRange): Promise<Readable | null> {
    const further: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }
    const answer = await streamOutside(...this.#request('GET', path, { headers: further }))
    if (answer.status === 200 || answer.status === 206) return answer.body
    answer.body.destroy()
    if (answer.status === 404) return null
    throw new Error(`The storage answered ${answer.status} for ${path}`)
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    this.#sizes.delete(path)
    const { status } = await requestOutside(...this.#request('PUT', path, { body: bytes, timeoutMs: 20 * timeoutMs }))
    if (status !== 200) throw new Error(`The storage answered ${status} when ${path} was written`)
  }

  #request(
    method: 'GET' | 'HEAD' | 'PUT',
    path: string,
    options: OutgoingRequest & { body?: Uint8Array } = {},
  ): [string, OutgoingRequest, readonly string[]] {
    const url = new URL(`${this.#settings.url.replace(/\/+$/, '')}/${checkedPath(path)}`)
    const payloadHash = sha256(options.body ?? '')
    const headers = signedHeaders(this.#settings, { method, url, payloadHash, at: new Date() })
    const all = { ...options.headers, ...headers }
    const request = { timeoutMs, bytesMax: objectBytesMax, ...options, method, headers: all }
    return [url.href, request, this.#settings.allowedNetworks]
  }
}
