import { createReadStream } from 'node:fs'
import { mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

/** A part of a file, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Where the files of releases lie: a folder, or an object storage. Paths are relative, with `/` between their parts. */
export interface ReleaseStore {
  /** Size in bytes; null when there is no such file. */
  size(path: string): Promise<number | null>
  /** Null when there is no such file. What is not read to its end has to be destroyed. */
  stream(path: string, range?: ByteRange): Promise<Readable | null>
  /** Replaces the file as a whole or not at all. */
  write(path: string, bytes: Uint8Array): Promise<void>
}

const safePath = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/

/** @throws Error for a path that could lead anywhere else */
export function checkedPath(path: string): string {
  if (path.length > 512 || !safePath.test(path)) throw new Error(`Not a path of a release: ${path.slice(0, 100)}`)
  return path
}

/** The whole of a small file; null when there is none. @throws Error when it is larger than allowed */
export async function readSmall(store: ReleaseStore, path: string, bytesMax = 5_000_000): Promise<Buffer | null> {
  const bytes = await store.stream(path)
  if (bytes === null) return null
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bytes) {
    length += piece.length
    if (length > bytesMax) throw new Error(`${path} is larger than ${bytesMax} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Releases in a folder of this machine. */
export class DiskStore implements ReleaseStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async size(path: string): Promise<number | null> {
    try {
      const found = await stat(join(this.#folder, checkedPath(path)))
      return found.isFile() ? found.size : null
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async stream(path: string, range?: ByteRange): Promise<Readable | null> {
    if ((await this.size(path)) === null) return null
    return createReadStream(join(this.#folder, path), range)
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const file = join(this.#folder, checkedPath(path))
    await mkdir(dirname(file), { recursive: true })
    const aside = `${file}.${process.pid}.part`
    const handle = await open(aside, 'w', 0o644)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(aside, file)
  }
}
