// The folders that the agent opens for users. A path is checked by its real target, and the checked object is the one that is
// used: a folder is held open, and its entries are accessed through what is held.
import type { FileEntry } from '@muster/wire/commands/files.ts'
import { ToolFailure } from '../../tool-failure.ts'

/** A folder that is held open. */
export interface HeldFolder {
  /** Its resolved path. */
  readonly path: string
  /** A path to an entry that cannot be redirected while the folder is held. */
  entry(name: string): string
}

/** How a system holds folders and describes their entries. */
export interface FileSystem {
  /** Holds a folder open during a callback. @throws ToolFailure when it is not a folder, or is closed to the agent */
  hold<T>(path: string, work: (folder: HeldFolder) => Promise<T>): Promise<T>
  /** The parent and the name. @throws ToolFailure when the path is not one of a file on this system */
  split(path: string): { parent: string; name: string }
  /** Whether a resolved path is below a folder, or is it. */
  isWithin(path: string, folder: string): boolean
  join(folder: string, name: string): string
  /** The entry of a held folder; rejects when it is gone. */
  describe(folder: HeldFolder, name: string): Promise<FileEntry>
}

export class GuardedFolders {
  readonly #system: FileSystem
  readonly #closed: readonly string[]

  /** @param closed folders without access, such as the agent's own keys */
  constructor(system: FileSystem, closed: readonly string[]) {
    this.#system = system
    this.#closed = closed
  }

  /** Holds a folder open during a callback. @throws ToolFailure when it is closed to users, or not a folder */
  within<T>(path: string, work: (folder: HeldFolder) => Promise<T>): Promise<T> {
    return this.#system.hold(path, async (folder) => {
      this.#check(folder.path, path)
      return work(folder)
    })
  }

  /** The same for the parent folder of a path. */
  async withinParent<T>(path: string, work: (folder: HeldFolder, name: string) => Promise<T>): Promise<T> {
    const { parent, name } = this.#system.split(path)
    return this.within(parent, (folder) => {
      this.#check(this.#system.join(folder.path, name), path)
      return work(folder, name)
    })
  }

  describe(folder: HeldFolder, name: string): Promise<FileEntry> {
    return this.#system.describe(folder, name)
  }

  #check(real: string, asked: string): void {
    if (this.#closed.some((root) => this.#system.isWithin(real, root)))
      throw new ToolFailure('DENIED', `${asked} is not accessible through the agent`)
  }
}
