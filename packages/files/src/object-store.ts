import type { Readable } from 'node:stream'

/** A range of an object, with both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface StoredObject {
  readonly size: number
  /** Lowercase hex. */
  readonly sha256: string
}

export interface ListedObject {
  readonly key: string
  readonly size: number
}

export interface PutOptions {
  /** A larger object is rejected with `too_large`. */
  readonly bytesMax: number
  /** The size that the sender declared. A different object is rejected before it becomes visible. */
  readonly size?: number
  readonly sha256?: string
  /** Replaces an object with the same key. Otherwise a second writer is rejected with `exists`. */
  readonly replace?: boolean
}

/**
 * Objects in a folder or an object storage. A key is a relative path with `/` between its parts. An object becomes visible as
 * a whole.
 */
export interface ObjectStore {
  /** Size in bytes; null when there is no such object. */
  size(key: string): Promise<number | null>
  /** Null when there is no such object. The stream has to be read to its end or destroyed. */
  stream(key: string, range?: ByteRange): Promise<Readable | null>
  /** Stores a body of any length within a few megabytes of memory. */
  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject>
  /** Does nothing when there is no such object. */
  remove(key: string): Promise<void>
  /** The objects in a folder, sorted by key within each folder. */
  list(folder: string): AsyncGenerator<ListedObject>
  /** Removes partial objects of writers that stopped before this time. @returns how many */
  removeUnfinished(before: Date): Promise<number>
}

/** Why an object was not stored or not read. `unavailable`: the storage failed, and a retry may succeed. */
type StorageProblem = 'exists' | 'too_large' | 'wrong_size' | 'wrong_hash' | 'no_space' | 'unavailable'

export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly problem: StorageProblem

  constructor(problem: StorageProblem, message: string, cause?: unknown) {
    super(message, { cause })
    this.problem = problem
  }
}

const safeKey = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/

/** @throws Error for a key that could lead out of the store */
export function checkedKey(key: string): string {
  if (key.length > 512 || !safeKey.test(key)) throw new Error(`Invalid object key: ${key.slice(0, 100)}`)
  return key
}

/** The content of a small object; null when there is none. @throws Error when it is larger than allowed */
export async function readSmall(store: ObjectStore, key: string, bytesMax = 5_000_000): Promise<Buffer | null> {
  const bytes = await store.stream(key)
  if (bytes === null) return null
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    if (length > bytesMax) throw new Error(`${key} is larger than ${bytesMax} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

async function* once(bytes: Uint8Array) {
  yield bytes
}

/** Stores bytes from memory and replaces an object with the same key. */
export const replaceWith = (store: ObjectStore, key: string, bytes: Uint8Array): Promise<StoredObject> =>
  store.put(key, once(bytes), { bytesMax: bytes.length, replace: true })
