// Paths of folders as the system of the device writes them: `/etc/nginx`, or `C:\Windows`.
import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'

export interface Folders {
  /** The top folders: one, or one for each drive. */
  readonly roots: readonly string[]
  below(folder: string, name: string): string
  /** The folder that contains it; null for a top folder. */
  above(folder: string): string | null
  /** The folders on the way to it, the top one first. */
  trail(folder: string): readonly { readonly name: string; readonly path: string }[]
}

const drive = /^[A-Z]:\\$/i

const foldersWith = (separator: '/' | '\\', roots: readonly string[]): Folders => {
  const below = (folder: string, name: string) => `${folder}${folder.endsWith(separator) ? '' : separator}${name}`
  const isRoot = (folder: string) => folder === '/' || drive.test(folder)
  const rootOf = (folder: string) => (separator === '/' ? '/' : folder.slice(0, 3))
  return {
    roots,
    below,
    above(folder) {
      if (isRoot(folder)) return null
      const end = folder.lastIndexOf(separator)
      return end < rootOf(folder).length ? rootOf(folder) : folder.slice(0, end)
    },
    trail(folder) {
      const root = rootOf(folder)
      const names = folder.slice(root.length).split(separator).filter(Boolean)
      const places = [{ name: root, path: root }]
      for (const name of names) places.push({ name, path: below(places.at(-1)?.path ?? root, name) })
      return places
    },
  }
}

/** The disks of the inventory name the drives of Windows. */
export function foldersOf({ osType, inventory }: Pick<DeviceDetail, 'osType' | 'inventory'>): Folders {
  if (osType !== 'windows') return foldersWith('/', ['/'])
  const drives = (inventory?.disks ?? []).flatMap(({ mount }) =>
    typeof mount === 'string' && drive.test(mount) ? [mount] : [],
  )
  return foldersWith('\\', drives.length === 0 ? ['C:\\'] : drives)
}
