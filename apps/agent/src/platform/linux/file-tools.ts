import { constants, type FileHandle, lstat, open, opendir, readlink } from 'node:fs/promises'
import { type FileEntry, fileBytesMax, fileEntriesMax, type ReadFile } from '@muster/wire/commands/files.ts'
import type { z } from 'zod'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import type { FileTools } from '../tools.ts'
import { accountNames, type Names } from './accounts.ts'
import { GuardedPaths, type HeldFolder } from './guarded-path.ts'
import { Uploads } from './uploads.ts'

/** @param secret folders without access: the agent's own */
export function createFileTools(secret: readonly string[]): FileTools {
  const paths = new GuardedPaths(secret)
  const uploads = new Uploads(paths)
  return {
    list(path) {
      return paths.within(path, async (folder) => ({
        path: folder.path,
        ...(await entriesOf(folder, await accountNames())),
      }))
    },

    read(what) {
      return paths.withinParent(what.path, async (folder, name) => {
        const file = await openFile(folder.entry(name), what.path)
        try {
          return await readPiece(file, name, what)
        } finally {
          await file.close()
        }
      })
    },

    async write(what, data) {
      if (what.offset + data.length > fileBytesMax)
        throw new ToolFailure('TOO_LARGE', `a file may be at most ${fileBytesMax} bytes long`)
      return uploads.write(what, data)
    },
  }
}

async function readPiece(file: FileHandle, name: string, what: z.infer<typeof ReadFile>) {
  const { path, offset, length, version: expected } = what
  const { size, mtimeNs, ino } = await file.stat({ bigint: true })
  const version = `${ino}-${mtimeNs}-${size}`
  if (expected !== undefined && expected !== version)
    throw new ToolFailure('CHANGED', `${path} changed while it was read`)
  const data = Buffer.alloc(Math.max(0, Math.min(length, Number(size) - offset)))
  const { bytesRead } = await file.read(data, 0, data.length, offset)
  return { piece: { name, sizeBytes: Number(size), version }, data: data.subarray(0, bytesRead) }
}

/** Opens a regular file, never through a symbolic link, and never a file that blocks. */
async function openFile(path: string, asked: string): Promise<FileHandle> {
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw failureOf(error, asked)
  }
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new ToolFailure('DENIED', `${asked} is not a regular file`)
}

async function entriesOf(folder: HeldFolder, names: Names): Promise<{ entries: FileEntry[]; truncated: boolean }> {
  const found: string[] = []
  let truncated = false
  try {
    for await (const { name } of await opendir(folder.entry('.'))) {
      truncated = found.length >= fileEntriesMax
      if (truncated) break
      found.push(name)
    }
  } catch (error) {
    throw failureOf(error, folder.path)
  }
  const entries = await Promise.all(found.sort().map((name) => entryOf(folder, name, names)))
  return { entries: entries.filter((entry) => entry !== undefined), truncated }
}

async function entryOf(folder: HeldFolder, name: string, names: Names): Promise<FileEntry | undefined> {
  try {
    const stat = await lstat(folder.entry(name))
    const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'symlink' : 'other'
    return {
      name,
      type,
      sizeBytes: stat.size,
      modifiedAt: new Date(Math.max(0, stat.mtimeMs)).toISOString(),
      mode: (stat.mode & 0o7777).toString(8).padStart(4, '0'),
      owner: names.user(stat.uid),
      group: names.group(stat.gid),
      target: type === 'symlink' ? await readlink(folder.entry(name)) : null,
    }
  } catch {
    // It was removed since the folder was read.
    return undefined
  }
}
