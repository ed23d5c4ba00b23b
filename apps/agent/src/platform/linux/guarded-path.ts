// Which places of the file system the agent opens for others. A path is judged by where it really leads, and what was judged
// is what is used: a folder is held open, and everything in it is named through that handle.
import { constants, open, readlink } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { failureOf, ToolFailure } from '../../tool-failure.ts'

/** Where files are not files: reading some of them has effects, and others never end. */
const systemRoots = ['/proc', '/sys', '/dev']

/** A folder that is held open. */
export interface HeldFolder {
  /** Where it really is. */
  readonly path: string
  /** A path to an entry that nobody can lead elsewhere while the folder is held. */
  entry(name: string): string
}

export class GuardedPaths {
  readonly #closed: readonly string[]

  /** @param secret folders whose content is nobody's business, such as the agent's own keys */
  constructor(secret: readonly string[]) {
    this.#closed = [...systemRoots, ...secret]
  }

  /** Holds a folder open while something is done in it. @throws ToolFailure when it is closed to others, or is none */
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

  /** The same for the folder that holds a path's last part. */
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
      throw new ToolFailure('DENIED', `${asked} is closed to others`)
  }
}
