import { type BigIntStats, constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import { describeEntry } from '../files/describe-entry.ts'
import { type FileSystem, GuardedFolders } from '../files/guarded-folders.ts'
import { requireAbsolute, split } from '../posix/entries.ts'
import type { NamesReader } from './accounts.ts'

/** Devices, and the paths by file number that lead around every check of a path. */
const systemRoots = ['/dev', '/.vol']

/** @param secret folders without access: the agent's own */
export const guardedFolders = (secret: readonly string[], names: NamesReader) =>
  new GuardedFolders(heldFolders(names), [...systemRoots, ...secret])

/** Folders that are held by an open handle. Their entries are reached by the number of the folder, which no rename changes. */
const heldFolders = (names: NamesReader): FileSystem => ({
  async hold(path, work) {
    requireAbsolute(path)
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK | constants.O_NOFOLLOW
    const real = await realpath(path).catch((error: unknown) => {
      throw failureOf(error, path)
    })
    const handle = await open(real, flags).catch((error: unknown) => {
      throw failureOf(error, path)
    })
    try {
      const held = await handle.stat({ bigint: true })
      // A folder of the path may have been replaced by a link since it was resolved.
      const [still, found] = [await realpath(path), await lstat(real, { bigint: true })]
      if (still !== real || !isSame(held, found))
        throw new ToolFailure('CHANGED', `${path} changed while it was opened`)
      const here = (await byNumber(held)) ?? real
      return await work({ path: real, entry: (name) => join(here, name) })
    } finally {
      await handle.close()
    }
  },

  split,
  isWithin,
  join,
  describe: async (folder, name) => describeEntry(folder, name, await names()),
})

const isSame = (one: BigIntStats, other: BigIntStats) => one.ino === other.ino && one.dev === other.dev

/** The folder's path by its number; undefined on a volume that has none, such as FAT. */
async function byNumber(held: BigIntStats): Promise<string | undefined> {
  const path = `/.vol/${held.dev}/${held.ino}`
  const found = await lstat(path, { bigint: true }).catch(() => undefined)
  return found !== undefined && isSame(held, found) ? path : undefined
}

/** File systems of a Mac ignore case and Unicode form, and show the data volume under two paths. */
export function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [comparable(path), comparable(folder)]
  return inner === outer || inner.startsWith(`${outer}/`)
}

const comparable = (path: string): string =>
  path
    .normalize('NFD')
    .toLowerCase()
    .replace(/^\/system\/volumes\/data(?=\/|$)/, '')
    .replace(/^\/(var|tmp|etc)(?=\/|$)/, '/private/$1')
