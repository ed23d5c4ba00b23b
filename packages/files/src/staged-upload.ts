import { createHash } from 'node:crypto'
import { MeasuredBody } from './measured-body.ts'
import {
  type ListedObject,
  type ObjectStore,
  type PutOptions,
  StorageError,
  type StoredObject,
} from './object-store.ts'

/** The folder of chunks of incomplete files. */
export const stagingFolder = 'staged'

/** The chunk does not begin at the current end of the file. */
export class WrongOffset extends Error {
  override readonly name = 'WrongOffset'
  readonly receivedBytes: number

  constructor(receivedBytes: number) {
    super(`The next piece begins at byte ${receivedBytes}`)
    this.receivedBytes = receivedBytes
  }
}

/**
 * A file that is uploaded in chunks, over several requests, processes and restarts. Each chunk is a separate object, so it is
 * durable when `append` returns and absent when it fails.
 */
export class StagedUpload {
  readonly #store: ObjectStore
  readonly #folder: string

  constructor(store: ObjectStore, id: string) {
    this.#store = store
    this.#folder = `${stagingFolder}/${id}`
  }

  async receivedBytes(): Promise<number> {
    return (await this.#pieces()).reduce((sum, { size }) => sum + size, 0)
  }

  /**
   * Stores the next chunk. A repeated chunk changes nothing.
   * @returns the bytes received so far
   * @throws WrongOffset for another offset, or when another writer was faster
   */
  async append(offset: number, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<number> {
    const pieces = await this.#pieces()
    const received = pieces.reduce((sum, { size }) => sum + size, 0)
    const key = this.#keyAt(offset)
    if (offset !== received) {
      const earlier = pieces.find((piece) => piece.key === key)
      if (earlier === undefined || !(await this.#isSame(earlier, body, options))) throw new WrongOffset(received)
      return received
    }
    try {
      const { size } = await this.#store.put(key, body, { ...options, replace: false })
      return received + size
    } catch (error) {
      if (!(error instanceof StorageError) || error.problem !== 'exists') throw error
      throw new WrongOffset(await this.receivedBytes())
    }
  }

  /** The received bytes from `start` on. */
  async *read(start = 0): AsyncGenerator<Uint8Array> {
    let offset = 0
    for (const { key, size } of await this.#pieces()) {
      const from = Math.max(0, start - offset)
      offset += size
      if (from >= size) continue
      const bytes = await this.#store.stream(key, { start: from, end: size - 1 })
      if (bytes === null) throw new StorageError('unavailable', 'A piece was removed while the file was read')
      yield* bytes
    }
  }

  /** Joins the chunks into one object. They stay until `discard`, so that this can be repeated. */
  complete(key: string, options: Omit<PutOptions, 'replace'>): Promise<StoredObject> {
    return this.#store.put(key, this.read(), { ...options, replace: true })
  }

  async discard(): Promise<void> {
    // The last chunk first, so that the rest is a valid beginning of the file after a failure.
    for (const { key } of (await this.#pieces()).reverse()) await this.#store.remove(key)
  }

  #keyAt(offset: number): string {
    return `${this.#folder}/${String(offset).padStart(15, '0')}`
  }

  async #pieces(): Promise<ListedObject[]> {
    const pieces: ListedObject[] = []
    for await (const piece of this.#store.list(this.#folder)) pieces.push(piece)
    return pieces
  }

  async #isSame(piece: ListedObject, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<boolean> {
    const measured = new MeasuredBody(options)
    for await (const _chunk of measured.through(body));
    const stored = await this.#store.stream(piece.key)
    const hash = createHash('sha256')
    for await (const chunk of stored ?? []) hash.update(chunk)
    return hash.digest('hex') === measured.stored.sha256
  }
}
