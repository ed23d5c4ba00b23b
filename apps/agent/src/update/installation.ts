import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, link, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isInUse, isMissing, syncDirectory } from '../durable-file.ts'
import type { Checkpoint } from './update-journal.ts'

/** On a file system without hard links, copies are made. */
const noLinks = new Set(['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'EMLINK', 'ENOSYS'])
const pieceBytes = 64 * 1024

/** The agent's executable and related files in its folder. Each change is one
 * rename where the system allows it, else two that `recover` completes, and on disk when it resolves. */
export class Installation {
  /** The executable that is started. */
  readonly current: string
  /** The previous one, for a rollback. */
  readonly previous: string
  /** Verified and ready to replace the current one. */
  readonly next: string
  /** The partial download of the next one. */
  readonly part: string
  /** The watchdog's executable: the newest confirmed one, independent of the agent's. */
  readonly watchdog: string
  readonly #checkpoint: Checkpoint

  constructor(executable: string, checkpoint: Checkpoint = () => undefined) {
    this.current = executable
    this.previous = named(executable, 'previous')
    this.next = named(executable, 'next')
    this.part = named(executable, 'part')
    this.watchdog = named(executable, 'watchdog')
    this.#checkpoint = checkpoint
  }

  /** The installation that this process runs from, under any of its names. */
  static ofProcess(execPath: string): Installation {
    return new Installation(execPath.replace(/\.(watchdog|previous)(?=(\.exe)?$)/i, ''))
  }

  async backUp(): Promise<void> {
    await this.#alsoAs(this.current, this.previous)
  }

  async replace(): Promise<void> {
    this.#checkpoint('before replacing')
    await moveOver(this.next, this.current)
    await syncDirectory(dirname(this.current))
    this.#checkpoint('after replacing')
  }

  /**
   * Restores the previous executable; it also stays where it is. If it is lost, the watchdog's executable is used.
   * @returns whether there was an executable other than the current one
   */
  async restore(): Promise<boolean> {
    const held = await hashOf(this.current)
    for (const kept of [this.previous, this.watchdog]) {
      const hash = await hashOf(kept)
      if (hash === undefined || hash === held) continue
      await this.#alsoAs(kept, this.current)
      return true
    }
    return false
  }

  async giveToWatchdog(): Promise<void> {
    await this.#alsoAs(this.current, this.watchdog)
  }

  /** Whether the watchdog's executable is the same file as the agent's, not merely an equal one. */
  async isSharedWithWatchdog(): Promise<boolean> {
    return isSameFile(this.current, this.watchdog)
  }

  /**
   * Restores the executable when a replacement was interrupted between its two renames, and removes files that were moved
   * aside. One that a process still runs from stays until a later start.
   */
  async recover(): Promise<void> {
    if (!(await this.exists(this.current))) await this.restore()
    const folder = dirname(this.current)
    const aside = (await readdir(folder)).filter((name) => name.startsWith(asidePrefix))
    const temporary = [this.current, this.previous, this.watchdog].map((path) => `${path}${temporaryEnding}`)
    const left = [...aside.map((name) => join(folder, name)), ...temporary]
    await Promise.all(left.map((path) => rm(path, { force: true }).catch(() => undefined)))
  }

  /** Deletes the download. */
  async clear(): Promise<void> {
    for (const path of [this.next, this.part]) await rm(path, { force: true })
  }

  async exists(path: string): Promise<boolean> {
    return access(path).then(
      () => true,
      () => false,
    )
  }

  async #alsoAs(from: string, to: string): Promise<void> {
    // A rename between two names of one file would do nothing and leave both.
    if (await isSameFile(from, to)) return
    const temporary = `${to}${temporaryEnding}`
    this.#checkpoint(`before ${to}`)
    // One that an interrupted call left may be a name of a running executable, which some systems do not remove.
    if (!(await isSameFile(from, temporary))) {
      await rm(temporary, { force: true })
      await link(from, temporary).catch((error: NodeJS.ErrnoException) => {
        if (!noLinks.has(error.code ?? '')) throw error
        return copy(from, temporary)
      })
    }
    this.#checkpoint(`half way to ${to}`)
    await moveOver(temporary, to)
    await syncDirectory(dirname(to))
    this.#checkpoint(`after ${to}`)
  }
}

/** The name of a related file: `muster-agent.previous`, or `muster-agent.previous.exe`. */
const named = (executable: string, what: string): string => executable.replace(/(\.exe)?$/i, `.${what}$1`)

/**
 * Renames a file over another one. A system that does not replace a running executable lets it be renamed: it is moved aside
 * first, and back when its place cannot be taken.
 */
async function moveOver(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!isInUse(error)) throw error
    const aside = join(dirname(to), `${asidePrefix}${randomBytes(6).toString('hex')}`)
    await rename(to, aside)
    try {
      await rename(from, to)
    } catch (second) {
      await rename(aside, to)
      throw second
    }
  }
}

const temporaryEnding = '.link'
const asidePrefix = '.muster-replaced-'

async function copy(from: string, to: string): Promise<void> {
  const file = await open(to, 'wx', 0o755)
  try {
    for await (const piece of createReadStream(from, { highWaterMark: pieceBytes })) await file.write(piece)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const file = await fileOf(one)
  return file !== undefined && file === (await fileOf(other))
}

/** Identifies the file at a path; undefined when there is none. The numbers of some systems are beyond 2^53. */
async function fileOf(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => undefined,
  )
}

/** SHA-256 of a file's content in hexadecimal; undefined when there is none. */
export async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 16 * pieceBytes })) hash.update(piece)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  return hash.digest('hex')
}
