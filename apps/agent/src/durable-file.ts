import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Replaces a file so that a crash leaves the old or the new content, never a mixture. */
export async function writeDurably(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await replace(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncDirectory(dirname(path))
}

/** Some systems do not replace a file while another process reads it, or a scanner looks at it: for a moment, as a rule. */
async function replace(from: string, to: string): Promise<void> {
  for (const waitMs of waitsMs) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (!isInUse(error)) throw error
    }
    await wait(waitMs)
  }
  await rename(from, to)
}

const waitsMs = [20, 50, 100, 200, 400, 800]

/** Whether a system refuses to replace a file that is in use. */
export function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EPERM', 'EACCES', 'EBUSY'].includes(String(error.code))
}

/** Systems whose file system journals renames refuse to write a folder to the disk. */
const cannotSync = new Set(['EPERM', 'EISDIR', 'EINVAL'])

/** Makes a rename in this directory survive a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && cannotSync.has(String(error.code)))) throw error
  } finally {
    await directory.close()
  }
}

/** The text of a file; undefined when it does not exist. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
