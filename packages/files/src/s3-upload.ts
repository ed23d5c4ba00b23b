import { randomUUID } from 'node:crypto'
import type { Piece } from '@muster/kit/body/pieces.ts'
import { StorageError } from './object-store.ts'
import { type S3Requests, unexpected } from './s3-requests.ts'
import { escaped, textsIn } from './s3-xml.ts'

/** Metadata of an object that identifies its write, for the case that the response to the write was lost. */
export const writeHeader = 'x-amz-meta-muster-write'

/** An object that is sent in parts. It becomes visible with the last request. */
export class S3Upload {
  readonly #requests: S3Requests
  readonly #key: string
  readonly #replace: boolean
  readonly #write = randomUUID()

  constructor(requests: S3Requests, key: string, replace: boolean) {
    this.#requests = requests
    this.#key = key
    this.#replace = replace
  }

  async send(pieces: AsyncIterable<Piece>): Promise<void> {
    const uploadId = await this.#begin()
    try {
      const tags: string[] = []
      for await (const { piece } of pieces) tags.push(await this.#sendPart(uploadId, tags.length + 1, piece))
      await this.#complete(uploadId, tags)
    } catch (error) {
      // If this fails too, `removeUnfinished` removes the parts later.
      await this.#requests.send({ method: 'DELETE', key: this.#key, query: { uploadId } }).catch(() => undefined)
      throw error
    }
  }

  async #begin(): Promise<string> {
    const headers = { [writeHeader]: this.#write }
    const { status, text } = await this.#requests.send({
      method: 'POST',
      key: this.#key,
      query: { uploads: '' },
      headers,
    })
    const [uploadId] = textsIn(text, 'UploadId')
    if (status !== 200 || uploadId === undefined) throw unexpected(status, 'POST', this.#key)
    return uploadId
  }

  async #sendPart(uploadId: string, number: number, body: Uint8Array): Promise<string> {
    const query = { partNumber: String(number), uploadId }
    const { status, headers } = await this.#requests.send({ method: 'PUT', key: this.#key, query, body })
    const tag = headers.etag
    if (status !== 200 || typeof tag !== 'string') throw unexpected(status, 'PUT', this.#key)
    return tag
  }

  async #complete(uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    )
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
    const headers: Record<string, string> = this.#replace ? {} : { 'if-none-match': '*' }
    const asked = { method: 'POST', key: this.#key, query: { uploadId }, headers, body } as const
    const { status, uncertain } = await this.#requests.send(asked)
    if (status === 200) return
    // An attempt whose response was lost may have completed the upload. Then the upload is gone and the object exists.
    if (uncertain && (status === 404 || status === 412) && (await this.#isWritten())) return
    if (status === 412) throw new StorageError('exists', 'An object with this key exists')
    throw unexpected(status, 'POST', this.#key)
  }

  async #isWritten(): Promise<boolean> {
    const { headers } = await this.#requests.send({ method: 'HEAD', key: this.#key })
    return headers[writeHeader] === this.#write
  }
}
