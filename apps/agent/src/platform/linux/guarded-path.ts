// The paths that the agent opens for users. A path is checked by its real target, and the checked object is the one that is
// used: a folder is held open, and its entries are accessed through that handle.
import { constants, open, readlink } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { failureOf, ToolFailure } from '../../tool-failure.ts'

/** Special file systems: reading some of their files has effects, and others never end. */
const systemRoots = ['/proc', '/sys', '/dev']

/** A folder that is held open. */
export interface HeldFolder {
  /** Its resolved path. */
  readonly path: string
  /** A path to an entry that cannot be redirected while the folder is held. */
  entry(name: string): string
}

export class GuardedPaths {
  readonly #closed: readonly string[]

  /** @param secret folders without access, such as the agent's own keys */
  constructor(secret: readonly string[]) {
    this.#closed = [...systemRoots, ...secret]
  }

  /** Holds a folder open during a callback. @throws ToolFailure when it is closed to users, or not a folder */
  async within<T>(path: string, work: (folder: HeldFolder) => Promise<T>): Promise<T> {
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK
    const handle = await open(path, flags).catch((error: unknown) => {
      throw failureOf(error, path)
    })
    try {
      const here = `/proc/self/fd/${handle.fd}`
      const real = await readlink(here)
      this.#check(real, path)
      return await work({ path: real, entry: (name) => join(here, name) })
    } finally {
      await handle.close()
    }
  }

  /** The same for the parent folder of a path. */
  async withinParent<T>(path: string, work: (folder: HeldFolder, name: string) => Promise<T>): Promise<T> {
    const whole = normalize(path).replace(/(.)\/+$/, '$1')
    const name = basename(whole)
    if (name === '' || name === '.' || name === '..') throw new ToolFailure('DENIED', `${path} is a folder`)
    return this.within(dirname(whole), (folder) => {
      this.#check(join(folder.path, name), path)
      return work(folder, name)
    })
  }

  #check(real: string, asked: string): void {
    if (this.#closed.some((root) => real === root || real.startsWith(`${root}/`)))
      throw new ToolFailure('DENIED', `${asked} is not accessible through the agent`)
  }
}
