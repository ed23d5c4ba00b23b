import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '@muster/kit/errors.ts'
import { type OutgoingRequest, requestOutside, streamOutside } from '@muster/kit/network/outgoing.ts'
import { AwsV4Signer } from 'aws4fetch'
import { checkedKey, StorageError } from './object-store.ts'

export interface S3Settings {
  /** URL of the bucket: `https://s3.example.com/bucket`. A prefix may follow when no objects are listed. */
  readonly url: string
  /** The prefix of all keys. */
  readonly prefix?: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
  /** Private networks in which the storage is allowed. */
  readonly allowedNetworks: readonly string[]
  /** Time-out of one request. Requests that carry a part have twenty times as long. */
  readonly timeoutMs?: number
  /** The pause before the first retry. Each further one is twice as long. */
  readonly retryMs?: number
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Null for the bucket itself. */
  readonly key: string | null
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface S3Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** Whether an earlier attempt may have succeeded although its response was lost. */
  readonly uncertain: boolean
}

const defaultTimeoutMs = 30_000
const defaultRetryMs = 200
const retryMsMax = 5_000
const triesMax = 5
const answerBytesMax = 8_388_608
/** The maximum size of an object in S3. */
const objectBytesMax = 5 * 1024 ** 4

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const isRetried = (status: number) => [429, 500, 502, 503, 504].includes(status)

/** Some operations respond with 200 before they run, and report their failure in the body. */
const isFailedLate = ({ status, text }: { status: number; text: string }) => status === 200 && /<Error>/.test(text)
const isConflict = ({ status, text }: { status: number; text: string }) =>
  status === 409 && text.includes('ConditionalRequestConflict')

/** Signed requests to an object storage with the S3 API. Temporary failures are retried. */
export class S3Requests {
  readonly #settings: S3Settings
  readonly #signingKeys = new Map<string, ArrayBuffer>()

  constructor(settings: S3Settings) {
    this.#settings = settings
  }

  /** @throws StorageError unavailable when the storage still fails after the last try */
  async send(request: S3Request): Promise<S3Answer> {
    let uncertain = false
    return this.#repeated(request, async () => {
      const { timeoutMs = defaultTimeoutMs } = this.#settings
      const options = { bytesMax: answerBytesMax, timeoutMs: request.body === undefined ? timeoutMs : 20 * timeoutMs }
      try {
        const answer = await requestOutside(...(await this.#signed(request, options)))
        const said = { status: answer.status, headers: answer.headers, text: answer.body.toString('utf8') }
        const fails = isRetried(said.status) || isFailedLate(said) || isConflict(said)
        const result = { ...said, uncertain }
        uncertain ||= fails
        return { result, fails }
      } catch (error) {
        uncertain = true
        throw error
      }
    })
  }

  /** Sends a GET. The body of the response has to be read or destroyed. */
  async open(request: S3Request): Promise<{ readonly status: number; readonly body: Readable }> {
    return this.#repeated(request, async () => {
      const { timeoutMs = defaultTimeoutMs } = this.#settings
      const answer = await streamOutside(...(await this.#signed(request, { timeoutMs, bytesMax: objectBytesMax })))
      const fails = isRetried(answer.status)
      if (fails) answer.body.destroy()
      return { result: { status: answer.status, body: answer.body }, fails }
    })
  }

  async #repeated<T extends { status: number }>(
    { method, key }: S3Request,
    once: () => Promise<{ result: T; fails: boolean }>,
  ): Promise<T> {
    const { retryMs = defaultRetryMs } = this.#settings
    if (key !== null) checkedKey(key)
    for (let tries = 1; ; tries++) {
      const isLast = tries >= triesMax
      try {
        const { result, fails } = await once()
        if (!fails) return result
        if (isLast) throw unexpected(result.status, method, key)
      } catch (error) {
        // A retry cannot make a forbidden address allowed.
        if (error instanceof AppError || error instanceof StorageError) throw error
        if (isLast) throw new StorageError('unavailable', `The storage did not answer ${method} ${key ?? ''}`, error)
      }
      await pause(Math.min(retryMsMax, retryMs * 2 ** (tries - 1)) * (0.5 + Math.random() / 2))
    }
  }

  async #signed(
    { method, key, query = {}, headers = {}, body }: S3Request,
    options: OutgoingRequest,
  ): Promise<[string, OutgoingRequest, readonly string[]]> {
    const { url: address, region, accessKey, secretKey, allowedNetworks } = this.#settings
    const bucket = address.replace(/\/+$/, '')
    const url = new URL(key === null ? bucket : `${bucket}/${this.withPrefix(key)}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? '') },
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      service: 's3',
      region,
      cache: this.#signingKeys,
    })
    const signed = await signer.sign()
    const request = { ...options, method, headers: Object.fromEntries(signed.headers), body }
    return [signed.url.href, request, allowedNetworks]
  }

  /** The name of an object in the bucket. */
  withPrefix(key: string): string {
    const prefix = (this.#settings.prefix ?? '').replace(/^\/+|\/+$/g, '')
    return prefix === '' ? key : `${prefix}/${key}`
  }
}

export const unexpected = (status: number, method: string, key: string | null) =>
  new StorageError('unavailable', `The storage answered ${status} to ${method} ${key ?? ''}`.trimEnd())
