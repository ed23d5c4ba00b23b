import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, statfs, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { type Account, canEnter } from './account.ts'
import { errorCode, onDisk, StackError } from './failure.ts'
import { lockFolder } from './folder-lock.ts'

const Marker = z.object({ format: z.literal(1), engines: z.string().optional() })
type Marker = z.infer<typeof Marker>

/** The folder for the databases when their account cannot enter the project or its data folder. */
export const machineFolder = '/var/lib/muster'

const freshMiB = 256
const usedMiB = 48

/** A locked folder that holds all data of Muster on this machine. */
export interface DataFolder {
  readonly path: string
  /** Contains `postgres` and `redis`: the folder itself, or one that their account can enter. */
  readonly engines: string
  readonly logs: string
  readonly account: Account | undefined
  readonly fresh: boolean
  /** A note for the operator about how the folder is used. */
  readonly note: string | undefined
  unlock(): void
}

/** Creates or opens the data folder and locks it. @throws StackError when it is foreign, in use, full or not accessible */
export async function openDataFolder(given: string, account: Account | undefined): Promise<DataFolder> {
  const path = resolve(given)
  return onDisk(path, async () => {
    await mkdir(path, { recursive: true })
    await refuseForeign(path)
    const unlock = lockFolder(path)
    try {
      const known = await readMarker(path)
      await requireSpace(path, known ? usedMiB : freshMiB)
      await mkdir(join(path, 'logs'), { recursive: true, mode: 0o700 })
      const marker = known ?? (await placeEngines(path, account))
      if (!known) await writeAtomically(join(path, 'muster.json'), JSON.stringify(marker))
      const engines = marker.engines ?? path
      await requireEntry(engines, account)
      const note =
        marker.engines && `The databases are in ${engines}, because the user ${account?.name} cannot enter ${path}.`
      return { path, engines, logs: join(path, 'logs'), account, fresh: !known, note, unlock }
    } catch (error) {
      unlock()
      throw error
    }
  })
}

async function refuseForeign(path: string): Promise<void> {
  const names = await readdir(path)
  if (names.includes('muster.json')) return
  // Builds and tests of a checkout keep their caches here too.
  const own = /^(launcher\.lock|logs$|lost\+found$|muster\.json\.|agent-build$|wine)/
  const foreign = names.filter((name) => !own.test(name))
  if (foreign.length === 0) return
  throw new StackError(
    `The folder ${path} was not made by Muster (it holds ${foreign.slice(0, 3).join(', ')}). Set MUSTER_DATA_DIR to an empty or new folder.`,
  )
}

async function readMarker(path: string): Promise<Marker | undefined> {
  try {
    return Marker.parse(JSON.parse(await readFile(join(path, 'muster.json'), 'utf8')))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    if (errorCode(error)) throw error
    throw new StackError(
      `The data folder ${path} is damaged or from a later version: muster.json cannot be read. Restore it from a backup, or start that version.`,
    )
  }
}

async function requireSpace(path: string, needMiB: number): Promise<void> {
  const { bavail, bsize } = await statfs(path)
  const freeMiB = Math.floor((bavail * bsize) / 2 ** 20)
  if (freeMiB >= needMiB) return
  throw new StackError(
    `The disk that holds ${path} is full: ${freeMiB} MiB are free, and Muster needs ${needMiB} MiB to start. Free space, or set MUSTER_DATA_DIR to another folder.`,
  )
}

// The account only needs to pass through the folder; secret files in it have their own modes.
async function placeEngines(path: string, account: Account | undefined): Promise<Marker> {
  if (!account) return { format: 1 }
  await chmod(path, 0o755)
  if (canEnter(path, account)) return { format: 1 }
  const engines = join(machineFolder, randomBytes(6).toString('hex'))
  await mkdir(engines, { recursive: true })
  return { format: 1, engines }
}

async function requireEntry(engines: string, account: Account | undefined): Promise<void> {
  await readdir(engines).catch(() => {
    throw new StackError(
      `The folder ${engines}, which holds the databases of this data folder, is missing. Restore it from a backup.`,
    )
  })
  if (!account || canEnter(engines, account)) return
  throw new StackError(
    `The user ${account.name}, which runs the databases, cannot enter ${engines}: a folder above it is closed to it. Open it with chmod o+x.`,
  )
}

/** Replaces a file so that the old or the complete new content survives a crash. Readable by its owner only. */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  await writeFile(aside, content, { mode: 0o600, flush: true })
  await rename(aside, path)
}
