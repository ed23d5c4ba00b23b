import { constants, lstat, open, readlink } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import { type FileSystem, GuardedFolders } from '../files/guarded-folders.ts'
import { accountNames } from './accounts.ts'

/** Special file systems: reading some of their files has effects, and others never end. */
const systemRoots = ['/proc', '/sys', '/dev']

/** @param secret folders without access: the agent's own */
export const guardedFolders = (secret: readonly string[]) =>
  new GuardedFolders(heldFolders, [...systemRoots, ...secret])

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

  split(path) {
    requireAbsolute(path)
    const whole = normalize(path).replace(/(.)\/+$/, '$1')
    const name = basename(whole)
    if (name === '' || name === '.' || name === '..') throw new ToolFailure('DENIED', `${path} is a folder`)
    return { parent: dirname(whole), name }
  },

  isWithin: (path, folder) => path === folder || path.startsWith(`${folder}/`),
  join,

  async describe(folder, name) {
    const [stat, names] = [await lstat(folder.entry(name)), await accountNames()]
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
  },
}

function requireAbsolute(path: string): void {
  if (!path.startsWith('/')) throw new ToolFailure('INVALID_PAYLOAD', `path ${path} must start with / on this system`)
}
