import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { piecesOf } from '@muster/kit/body/pieces.ts'
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

/** The folder of partial objects. No key begins with a dot. */
const unfinishedFolder = '.unfinished'
const pieceBytes = 1_048_576
const placeTriesMax = 5

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : null)
const isMissing = (error: unknown) => codeOf(error) === 'ENOENT'
const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT'].includes(String(codeOf(error)))

/** Objects in a folder of this machine, which several processes can share. */
export class DiskStore implements ObjectStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = resolve(folder)
  }

  async size(key: string): Promise<number | null> {
    try {
      const found = await stat(this.#fileOf(key))
      return found.isFile() ? found.size : null
    } catch (error) {
      if (isMissing(error) || codeOf(error) === 'ENOTDIR') return null
      throw error
    }
  }

  async stream(key: string, range?: ByteRange): Promise<Readable | null> {
    if ((await this.size(key)) === null) return null
    return createReadStream(this.#fileOf(key), range)
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject> {
    const file = this.#fileOf(key)
    const unfinished = join(this.#folder, unfinishedFolder, randomUUID())
    await mkdir(dirname(unfinished), { recursive: true })
    try {
      const stored = await this.#write(unfinished, body, options)
      await this.#place(unfinished, file, options.replace === true)
      return stored
    } catch (error) {
      if (isFull(error)) throw new StorageError('no_space', 'The disk of the store is full', error)
      throw error
    } finally {
      await rm(unfinished, { force: true })
    }
  }

  async remove(key: string): Promise<void> {
    const file = this.#fileOf(key)
    await rm(file, { force: true })
    // Remove folders that are empty now.
    for (let folder = dirname(file); folder !== this.#folder; folder = dirname(folder)) {
      const isGone = await rmdir(folder).then(
        () => true,
        () => false,
      )
      if (!isGone) return
    }
  }

  async *list(folder: string): AsyncGenerator<ListedObject> {
    const path = folder === '' ? this.#folder : this.#fileOf(folder)
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const key = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) yield* this.list(key)
      const size = entry.isFile() ? await this.size(key) : null
      if (size !== null) yield { key, size }
    }
  }

  async removeUnfinished(before: Date): Promise<number> {
    const folder = join(this.#folder, unfinishedFolder)
    let removed = 0
    for (const name of await readdir(folder).catch(() => [])) {
      const file = join(folder, name)
      const found = await stat(file).catch(() => null)
      if (found === null || found.mtime >= before) continue
      await rm(file, { force: true })
      removed += 1
    }
    return removed
  }

  #fileOf(key: string): string {
    return join(this.#folder, checkedKey(key))
  }

  async #write(file: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject> {
    const measured = new MeasuredBody(options)
    const handle = await open(file, 'wx', 0o644)
    try {
      for await (const { piece } of piecesOf(measured.through(body), pieceBytes)) await writeAll(handle, piece)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return measured.stored
  }

  /** Moves a complete file to its name. Another process may remove the folder with its last object at the same time. */
  async #place(unfinished: string, file: string, replace: boolean): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        const made = await mkdir(dirname(file), { recursive: true })
        await (replace ? rename(unfinished, file) : link(unfinished, file))
        return await syncFolders(dirname(file), made === undefined ? dirname(file) : dirname(made))
      } catch (error) {
        if (codeOf(error) === 'EEXIST') throw new StorageError('exists', 'An object with this key exists', error)
        if (!isMissing(error) || tries >= placeTriesMax) throw error
      }
    }
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written)
    written += bytesWritten
  }
}

/** Makes names durable. A file survives a power loss only when its folder and new parent folders are synchronized, too. */
async function syncFolders(lowest: string, highest: string): Promise<void> {
  for (let folder = lowest; ; folder = dirname(folder)) {
    const handle = await open(folder, 'r').catch((error: unknown) => {
      if (isMissing(error)) return null
      throw error
    })
    try {
      await handle?.sync()
    } finally {
      await handle?.close()
    }
    if (folder === highest || folder === dirname(folder)) return
  }
}
