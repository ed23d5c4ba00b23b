import { win32 } from 'node:path'
import { ToolFailure } from '../../tool-failure.ts'
import { describeEntry } from '../files/describe-entry.ts'
import { type FileSystem, GuardedFolders } from '../files/guarded-folders.ts'
import { closeHandle } from './native/kernel32.ts'
import { drivePath, extended, isWithin } from './paths.ts'
import { native } from './thread/native-thread.ts'

/** @param secret folders without access: the agent's own */
export const guardedFolders = (secret: readonly string[]) => new GuardedFolders(heldFolders, secret)

/** Access lists decide here, which owner and group cannot show. */
const noNames = { user: () => '', group: () => '' }

/** Folders that are held by an open handle, so that no folder of the path can be replaced. */
const heldFolders: FileSystem = {
  async hold(path, work) {
    const wanted = drivePath(path)
    // A drive that does not answer stops a thread of its own, not this one.
    const { handle, path: real } = await native('openFolder', [wanted])
    try {
      if (!/^[A-Z]:\\/i.test(real)) throw new ToolFailure('DENIED', `${path} leads to the network`)
      return await work({ path: real, entry: (name) => extended(name === '.' ? real : win32.join(real, name)) })
    } finally {
      closeHandle(handle)
    }
  },

  split(path) {
    const { dir, base } = win32.parse(drivePath(path))
    if (base === '') throw new ToolFailure('DENIED', `${path} is a folder`)
    return { parent: dir, name: base }
  },

  isWithin,
  join: win32.join,

  describe: (folder, name) => describeEntry(folder, name, noNames),
}
