import { createHash } from 'node:crypto'
import { constants, type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { WriteFile, WrittenFile } from '@muster/wire/commands/files.ts'
import type { z } from 'zod'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import type { GuardedFolders, HeldFolder } from './guarded-folders.ts'

type Piece = z.infer<typeof WriteFile>
/** The target path of an upload, and its temporary path. */
interface UploadPaths {
  folder: HeldFolder
  name: string
  part: string
}
type Written = z.infer<typeof WrittenFile>

/** An upload without further chunks is deleted after this long. */
const abandonedMs = 5 * 60_000
const uploadsMax = 16
const readBytes = 1024 * 1024
/** The default file mode: access for the owner only. */
const privateMode = 0o600

/**
 * Uploads to this machine. Chunks are collected in a temporary file beside the target; the last chunk renames it, so
 * that an incomplete file never has the target's name.
 */
export class Uploads {
  readonly #folders: GuardedFolders
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(folders: GuardedFolders) {
    this.#folders = folders
  }

  write(what: Piece, data: Uint8Array): Promise<Written> {
    return this.#folders.withinParent(what.path, async (folder, name) => {
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

  async #take(what: Piece, data: Uint8Array, { folder, name, part }: UploadPaths): Promise<Written> {
    const { path, uploadId, offset, last, overwrite } = what
    const replaced = await requireFree(folder, name, path, overwrite)
    this.#attend(uploadId, join(folder.path, part))
    const mode = what.mode === undefined ? (replaced ?? privateMode) : permissionBits(what.mode)
    const sizeBytes = await append(await openPart(folder.entry(part), offset), data, offset, mode)
    if (!last) return { path, sizeBytes, sha256: null }
    const sha256 = await hashOf(folder.entry(part))
    await moveIntoPlace(folder.entry(part), folder.entry(name), overwrite)
    this.#forget(uploadId)
    return { path: join(folder.path, name), sizeBytes, sha256 }
  }

  async #abandon(part: string, uploadId: string): Promise<void> {
    this.#forget(uploadId)
    await rm(part, { force: true })
  }

  #attend(uploadId: string, part: string): void {
    if (!this.#timers.has(uploadId) && this.#timers.size >= uploadsMax)
      throw new ToolFailure('BUSY', 'too many uploads to this machine at once; retry later')
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

/** @returns the permissions of the file that is replaced; undefined for a new file */
async function requireFree(
  folder: HeldFolder,
  name: string,
  path: string,
  overwrite: boolean,
): Promise<number | undefined> {
  const there = await lstat(folder.entry(name)).catch(() => undefined)
  if (there === undefined) return undefined
  if (there.isDirectory()) throw new ToolFailure('DENIED', `${path} is a folder`)
  if (!overwrite) throw new ToolFailure('EXISTS', `${path} exists already`)
  return there.isFile() ? there.mode & 0o777 : undefined
}

/** Executables with setuid or setgid cannot be uploaded. */
function permissionBits(mode: string): number {
  const bits = Number.parseInt(mode, 8)
  if (bits > 0o777)
    throw new ToolFailure('DENIED', `mode ${mode} sets setuid, setgid or sticky; give three octal digits such as 640`)
  return bits
}

function openPart(part: string, offset: number): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  return offset === 0 ? open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600) : open(part, O_WRONLY | O_NOFOLLOW)
}

/** @returns the new length of the file */
async function append(file: FileHandle, data: Uint8Array, offset: number, mode: number): Promise<number> {
  try {
    const { size } = await file.stat()
    if (size !== offset)
      throw new ToolFailure('CHANGED', `the upload has ${size} bytes, so it cannot continue at ${offset}`)
    await file.write(data, 0, data.length, offset)
    await file.chmod(mode)
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

/** A link fails when the target exists, a rename replaces it. */
async function moveIntoPlace(part: string, target: string, overwrite: boolean): Promise<void> {
  if (overwrite) {
    await rename(part, target)
    return
  }
  await link(part, target)
  await rm(part)
}
