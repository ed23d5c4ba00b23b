import { constants, open, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { failureOf } from '../../tool-failure.ts'
import { describeEntry } from '../files/describe-entry.ts'
import { type FileSystem, GuardedFolders } from '../files/guarded-folders.ts'
import { requireAbsolute, split } from '../posix/entries.ts'
import { accountNames } from './accounts.ts'
import { requireLocal } from './facts/local-path.ts'

/** Special file systems: reading some of their files has effects, and others never end. */
const systemRoots = ['/proc', '/sys', '/dev']

/** @param secret folders without access: the agent's own */
export const guardedFolders = (secret: readonly string[]) =>
  new GuardedFolders(heldFolders, [...systemRoots, ...secret])

/** The same without folders whose file system may never answer: for work that no person waits for. */
export const localFolders = (secret: readonly string[]) =>
  new GuardedFolders(
    {
      ...heldFolders,
      async hold(path, work) {
        await requireLocal(path)
        return heldFolders.hold(path, work)
      },
    },
    [...systemRoots, ...secret],
  )

/** Folders that are held by an open handle, through which the kernel resolves their entries. */
const heldFolders: FileSystem = {
  async hold(path, work) {
    requireAbsolute(path)
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK
    const handle = await open(path, flags).catch((error: unknown) => {
      throw failureOf(error, path)
    })
    try {
      const here = `/proc/self/fd/${handle.fd}`
      return await work({ path: await readlink(here), entry: (name) => join(here, name) })
    } finally {
      await handle.close()
    }
  },

  split,
  isWithin: (path, folder) => path === folder || path.startsWith(`${folder}/`),
  join,
  describe: async (folder, name) => describeEntry(folder, name, await accountNames()),
}
