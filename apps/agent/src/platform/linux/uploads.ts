import { createHash } from 'node:crypto'
import { constants, type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { WriteFile, WrittenFile } from '@muster/wire/commands/files.ts'
import type { z } from 'zod'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import type { GuardedPaths, HeldFolder } from './guarded-path.ts'

type Piece = z.infer<typeof WriteFile>
/** Where a file will be, and what it is called until then. */
interface Place {
  folder: HeldFolder
  name: string
  part: string
}
type Written = z.infer<typeof WrittenFile>

/** An upload that nobody goes on with is taken away after this long. */
const abandonedMs = 5 * 60_000
const uploadsMax = 16
const readBytes = 1024 * 1024

/**
 * Files on their way to this machine. Pieces gather beside the place where the file will be, under a name of the upload;
 * with the last piece the file takes its place in one step, so that nobody ever sees half of it.
 */
export class Uploads {
  readonly #paths: GuardedPaths
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(paths: GuardedPaths) {
    this.#paths = paths
  }

  write(what: Piece, data: Uint8Array): Promise<Written> {
    return this.#paths.withinParent(what.path, async (folder, name) => {
      const part = `.muster-upload-${what.uploadId}`
      try {
        if (!what.abort) return await this.#take(what, data, { folder, name, part })
      } catch (error) {
        await this.#abandon(folder.entry(part), what.uploadId)
        throw failureOf(error, what.path)
      }
      await this.#abandon(folder.entry(part), what.uploadId)
      return { path: what.path, sizeBytes: 0, sha256: null }
    })
  }

  async #take(what: Piece, data: Uint8Array, { folder, name, part }: Place): Promise<Written> {
    const { path, uploadId, offset, last, overwrite } = what
    if (offset === 0) await requireFree(folder, name, path, overwrite)
    this.#attend(uploadId, join(folder.path, part))
    const sizeBytes = await append(await openPart(folder.entry(part), offset), data, what)
    if (!last) return { path, sizeBytes, sha256: null }
    const sha256 = await hashOf(folder.entry(part))
    await place(folder.entry(part), folder.entry(name), overwrite)
    this.#forget(uploadId)
    return { path: join(folder.path, name), sizeBytes, sha256 }
  }

  async #abandon(part: string, uploadId: string): Promise<void> {
    this.#forget(uploadId)
    await rm(part, { force: true })
  }

  #attend(uploadId: string, part: string): void {
    if (!this.#timers.has(uploadId) && this.#timers.size >= uploadsMax)
      throw new ToolFailure('BUSY', 'too many uploads to this machine at once')
    clearTimeout(this.#timers.get(uploadId))
    const timer = setTimeout(() => {
      this.#timers.delete(uploadId)
      rm(part, { force: true }).catch(() => undefined)
    }, abandonedMs)
    timer.unref()
    this.#timers.set(uploadId, timer)
  }

  #forget(uploadId: string): void {
    clearTimeout(this.#timers.get(uploadId))
    this.#timers.delete(uploadId)
  }
}

async function requireFree(folder: HeldFolder, name: string, path: string, overwrite: boolean): Promise<void> {
  const there = await lstat(folder.entry(name)).catch(() => undefined)
  if (there === undefined) return
  if (there.isDirectory()) throw new ToolFailure('DENIED', `${path} is a folder`)
  if (!overwrite) throw new ToolFailure('EXISTS', `${path} exists already`)
}

function openPart(part: string, offset: number): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  return offset === 0 ? open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600) : open(part, O_WRONLY | O_NOFOLLOW)
}

/** @returns how long the file is now */
async function append(file: FileHandle, data: Uint8Array, { offset, mode }: Piece): Promise<number> {
  try {
    const { size } = await file.stat()
    if (size !== offset) throw new ToolFailure('CHANGED', `the upload holds ${size} bytes, not ${offset}`)
    await file.write(data, 0, data.length, offset)
    await file.chmod(mode === undefined ? 0o644 : Number.parseInt(mode, 8))
    await file.sync()
    return offset + data.length
  } finally {
    await file.close()
  }
}

async function hashOf(part: string): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(part, constants.O_RDONLY | constants.O_NOFOLLOW)
  for await (const piece of file.createReadStream({ highWaterMark: readBytes })) hash.update(piece)
  return hash.digest('hex')
}

/** A link fails where something stands already, a rename takes its place. */
async function place(part: string, target: string, overwrite: boolean): Promise<void> {
  if (overwrite) {
    await rename(part, target)
    return
  }
  await link(part, target)
  await rm(part)
}
