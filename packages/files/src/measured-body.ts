import { createHash } from 'node:crypto'
import { type PutOptions, StorageError, type StoredObject } from './object-store.ts'

/** Counts and hashes a body while it is read. Fails when it differs from its declaration. */
export class MeasuredBody {
  readonly #options: PutOptions
  readonly #hash = createHash('sha256')
  #size = 0
  #sha256: string | null = null

  constructor(options: PutOptions) {
    this.#options = options
  }

  /** Checks before the last chunk ends, so that a reader that stores on the end stores no invalid body. */
  async *through(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { bytesMax, size: declared } = this.#options
    const most = Math.min(bytesMax, declared ?? bytesMax)
    for await (const chunk of body) {
      this.#size += chunk.length
      if (this.#size > bytesMax) throw new StorageError('too_large', `The file is larger than ${bytesMax} bytes`)
      if (this.#size > most) throw this.#wrongSize('more than', most)
      this.#hash.update(chunk)
      yield chunk
    }
    if (declared !== undefined && this.#size !== declared) throw this.#wrongSize(`${this.#size} of`, declared)
    this.#sha256 = this.#hash.digest('hex')
    const { sha256 } = this.#options
    if (sha256 !== undefined && sha256.toLowerCase() !== this.#sha256)
      throw new StorageError('wrong_hash', `The SHA-256 of the file is ${this.#sha256}, not the declared one`)
  }

  #wrongSize(words: string, declared: number) {
    return new StorageError('wrong_size', `The body has ${words} the ${declared} bytes that were declared`)
  }

  /** Size and hash of the body. @throws Error before its end */
  get stored(): StoredObject {
    if (this.#sha256 === null) throw new Error('The body was not read to its end')
    return { size: this.#size, sha256: this.#sha256 }
  }
}
