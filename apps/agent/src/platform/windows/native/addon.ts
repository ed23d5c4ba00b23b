import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getRawAsset } from 'node:sea'
import { addonAsset } from '../assets.ts'

const folderPrefix = 'native-'

const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/**
 * The addon as a file, since the system loads libraries from files only. It is unpacked beside the executable: a user who can
 * write there can replace the executable itself.
 */
export const addonFile = (): string => unpackAddon(new Uint8Array(getRawAsset(addonAsset)), dirname(process.execPath))

/** Unpacks the addon into a folder of its own. A file with other content is replaced. @throws Error when it cannot be */
export function unpackAddon(content: Uint8Array, parent: string): string {
  const hash = hashOf(content)
  const folder = join(parent, `${folderPrefix}${hash.slice(0, 16)}`)
  const file = join(folder, addonAsset)
  if (existsSync(folder)) removeStrangers(folder)
  if (!existsSync(file) || hashOf(readFileSync(file)) !== hash) {
    mkdirSync(folder, { recursive: true })
    const unfinished = `${file}.${process.pid}`
    writeFileSync(unfinished, content)
    renameSync(unfinished, file)
  }
  return file
}

/** The system searches the folder of a library for others that it needs. */
function removeStrangers(folder: string): void {
  for (const name of readdirSync(folder)) {
    // Also the unfinished files of other processes.
    const isOwn = name.startsWith(addonAsset) && /^(\.\d+)?$/.test(name.slice(addonAsset.length))
    if (!isOwn) rmSync(join(folder, name), { recursive: true })
  }
}

/** Removes the addons of earlier versions. One that a process still uses stays until a later start. */
export function removeOldAddons(current = dirname(addonFile())): void {
  const parent = dirname(current)
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name)
    if (!name.startsWith(folderPrefix) || folder === current) continue
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // A process still uses it.
    }
  }
}
