import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getRawAsset } from 'node:sea'
import { addonAsset } from '../assets.ts'

const folderPrefix = 'native-'

const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/**
 * The addon as a file, since the system loads libraries from files only. It is unpacked beside the executable: a user who can
 * write there can replace the executable itself. A file with other content is replaced before it is loaded.
 */
export function addonFile(): string {
  const content = new Uint8Array(getRawAsset(addonAsset))
  const hash = hashOf(content)
  const folder = join(dirname(process.execPath), `${folderPrefix}${hash.slice(0, 16)}`)
  const file = join(folder, addonAsset)
  if (!existsSync(file) || hashOf(readFileSync(file)) !== hash) {
    mkdirSync(folder, { recursive: true })
    const unfinished = `${file}.${process.pid}`
    writeFileSync(unfinished, content)
    renameSync(unfinished, file)
  }
  return file
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
