import { type FileHandle, opendir } from 'node:fs/promises'
import { type FileEntry, fileBytesMax, fileEntriesMax, type ReadFile } from '@muster/wire/commands/files.ts'
import type { z } from 'zod'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import type { FileTools } from '../tools.ts'
import type { GuardedFolders, HeldFolder } from './guarded-folders.ts'
import { observeFiles } from './observe-file.ts'
import { openFile } from './open-file.ts'
import { Uploads } from './uploads.ts'

/** Files of a system, in the folders that are open to users. */
export function createFileTools(folders: GuardedFolders): FileTools {
  const uploads = new Uploads(folders)
  return {
    list(path) {
      return folders.within(path, async (folder) => ({ path: folder.path, ...(await entriesOf(folders, folder)) }))
    },

    read(what) {
      return folders.withinParent(what.path, async (folder, name) => {
        const file = await openFile(folder.entry(name), what.path)
        try {
          return await readPiece(file, name, what)
        } finally {
          await file.close()
        }
      })
    },

    observe: observeFiles(folders),

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

async function entriesOf(
  folders: GuardedFolders,
  folder: HeldFolder,
): Promise<{ entries: FileEntry[]; truncated: boolean }> {
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
  // An entry may have been removed since the folder was read.
  const entries = await Promise.all(found.sort().map((name) => folders.describe(folder, name).catch(() => undefined)))
  return { entries: entries.filter((entry) => entry !== undefined), truncated }
}
