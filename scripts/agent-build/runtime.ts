import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { Pin, PinnedFile } from './targets.ts'

const run = promisify(execFile)

/** A pinned file, downloaded from the npm registry unless it is cached. @returns its path */
export async function pinnedFile(pin: PinnedFile, root: string, cache: string): Promise<string> {
  const name = pin.name.replace(/^.*\//, '')
  const path = join(cache, 'runtimes', `${name}-${pin.version}`)
  if (await isThere(path)) return checked(path, pin)
  const folder = await mkdtemp(join(await made(join(cache, 'unfinished')), 'runtime-'))
  try {
    const installed = join(root, '.runtime/node_modules', pin.name)
    const unpacked = (await versionIn(installed)) === pin.version ? installed : await download(pin, folder)
    const copy = join(folder, 'copy')
    await copyFile(join(unpacked, pin.file), copy)
    await checked(copy, pin)
    await chmod(copy, 0o755)
    await made(join(cache, 'runtimes'))
    await rename(copy, path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return path
}

/** Checks that the file, which will run on every device, is the pinned one. */
async function checked(path: string, { name, version, sha256 }: Pin): Promise<string> {
  const found = createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
  if (found !== sha256) throw new Error(`${path} is not the pinned file of ${name}@${version} (sha256 ${found})`)
  return path
}

async function download({ name, version, integrity }: Pin, folder: string): Promise<string> {
  await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder], { cwd: folder })
  const archive = (await readdir(folder)).find((file) => file.endsWith('.tgz'))
  if (archive === undefined) throw new Error(`npm did not deliver ${name}@${version}`)
  const hash = createHash('sha512').update(await readFile(join(folder, archive)))
  if (`sha512-${hash.digest('base64')}` !== integrity)
    throw new Error(`${name}@${version} does not match its pinned hash`)
  await run('tar', ['-xzf', archive], { cwd: folder })
  return join(folder, 'package')
}

async function versionIn(folder: string): Promise<string | undefined> {
  const description = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  return description === undefined
    ? undefined
    : z.object({ version: z.string() }).parse(JSON.parse(description)).version
}

/** Creates a folder. */
export async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  return folder
}

/** Whether a path exists. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
