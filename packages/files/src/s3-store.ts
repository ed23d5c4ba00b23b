import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { piecesOf, startingWith } from '@muster/kit/body/pieces.ts'
import { MeasuredBody } from './measured-body.ts'
import {
  type ByteRange,
  checkedKey,
  type ListedObject,
  type ObjectStore,
  type PutOptions,
  StorageError,
  type StoredObject,
} from './object-store.ts'
import { S3Requests, type S3Settings, unexpected } from './s3-requests.ts'
import { S3Upload, writeHeader } from './s3-upload.ts'
import { textsIn } from './s3-xml.ts'

/** Smaller objects are sent in one request. S3 accepts parts of 5 MiB and more. */
const pieceBytes = 8_388_608

/** Objects in an object storage with the S3 API. */
export class S3Store implements ObjectStore {
  readonly #requests: S3Requests

  constructor(settings: S3Settings) {
    this.#requests = new S3Requests(settings)
  }

  async size(key: string): Promise<number | null> {
    const { status, headers } = await this.#requests.send({ method: 'HEAD', key })
    if (status === 404) return null
    if (status !== 200) throw unexpected(status, 'HEAD', key)
    return Number(headers['content-length'])
  }

  async stream(key: string, range?: ByteRange): Promise<Readable | null> {
    const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }
    const { status, body } = await this.#requests.open({ method: 'GET', key, headers })
    // Without this check, a storage that ignores the range would send the whole object.
    if (status === (range === undefined ? 200 : 206)) return body
    body.destroy()
    if (status === 404) return null
    throw unexpected(status, 'GET', key)
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject> {
    const measured = new MeasuredBody(options)
    const pieces = piecesOf(measured.through(body), pieceBytes)
    const { value: first } = await pieces.next()
    const replace = options.replace === true
    if (first?.last) await this.#putWhole(key, first.piece, replace)
    else await new S3Upload(this.#requests, key, replace).send(startingWith(first, pieces))
    return measured.stored
  }

  async remove(key: string): Promise<void> {
    const { status } = await this.#requests.send({ method: 'DELETE', key })
    if (status !== 204 && status !== 200 && status !== 404) throw unexpected(status, 'DELETE', key)
  }

  async *list(folder: string): AsyncGenerator<ListedObject> {
    const above = this.#requests.withPrefix('')
    let next: string | undefined
    do {
      const prefix = folder === '' ? above : `${above}${checkedKey(folder)}/`
      const query = { 'list-type': '2', prefix, ...(next !== undefined && { 'continuation-token': next }) }
      const { status, text } = await this.#requests.send({ method: 'GET', key: null, query })
      if (status !== 200) throw unexpected(status, 'GET', folder)
      for (const entry of textsIn(text, 'Contents')) {
        const [name = ''] = textsIn(entry, 'Key')
        yield { key: name.slice(above.length), size: Number(textsIn(entry, 'Size')[0]) }
      }
      next = textsIn(text, 'NextContinuationToken')[0]
    } while (next !== undefined)
  }

  async removeUnfinished(before: Date): Promise<number> {
    const above = this.#requests.withPrefix('')
    const query = { uploads: '', ...(above !== '' && { prefix: above }) }
    const { status, text } = await this.#requests.send({ method: 'GET', key: null, query })
    if (status !== 200) throw unexpected(status, 'GET', 'uploads')
    // One page of up to a thousand uploads. The next run continues.
    let removed = 0
    for (const entry of textsIn(text, 'Upload')) {
      const [name = '', uploadId = '', begun = ''] = ['Key', 'UploadId', 'Initiated'].map(
        (tag) => textsIn(entry, tag)[0],
      )
      if (new Date(begun) >= before) continue
      await this.#requests.send({ method: 'DELETE', key: name.slice(above.length), query: { uploadId } })
      removed += 1
    }
    return removed
  }

  async #putWhole(key: string, bytes: Uint8Array, replace: boolean): Promise<void> {
    const write = randomUUID()
    const headers = { [writeHeader]: write, ...(!replace && { 'if-none-match': '*' }) }
    const { status, uncertain } = await this.#requests.send({ method: 'PUT', key, headers, body: bytes })
    if (status === 200) return
    if (status !== 412) throw unexpected(status, 'PUT', key)
    if (uncertain && (await this.#requests.send({ method: 'HEAD', key })).headers[writeHeader] === write) return
    throw new StorageError('exists', 'An object with this key exists')
  }
}
