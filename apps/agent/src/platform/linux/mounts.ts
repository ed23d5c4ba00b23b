import { readFile, statfs } from 'node:fs/promises'

export interface Volume {
  device: string
  mount: string
  fileSystem: string
  totalBytes: number
  usedBytes: number
}

interface Mount {
  device: string
  mount: string
  fileSystem: string
}

// Images that are full by nature and tell nothing about the room that is left.
const imageFileSystems = new Set(['squashfs', 'iso9660', 'udf', 'erofs'])
const poolFileSystems = new Set(['zfs', 'btrfs'])

/** Local mounts that hold data: one per device, network file systems left out because a dead server would block the call. */
export function parseMounts(text: string): Mount[] {
  const found = new Map<string, Mount>()
  for (const line of text.split('\n')) {
    const [device, mount, fileSystem] = line.split(' ').map(unescapeOctal)
    if (device === undefined || mount === undefined || fileSystem === undefined) continue
    const local = device.startsWith('/dev/') || poolFileSystems.has(fileSystem)
    // All data sets of one ZFS pool share its room, as all mounts of one device do.
    const store = fileSystem === 'zfs' ? device.split('/', 1).join() : device
    if (!local || imageFileSystems.has(fileSystem) || found.has(store)) continue
    found.set(store, { device, mount, fileSystem })
  }
  return [...found.values()]
}

// The kernel writes space, tab, newline and backslash as \040 and the like.
function unescapeOctal(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

/** The local volumes with their sizes; in a container that shows none of them, the root file system. */
export async function readVolumes(): Promise<Volume[]> {
  const mounts = parseMounts(await readFile('/proc/self/mounts', 'utf8'))
  if (mounts.length === 0) mounts.push({ device: 'root', mount: '/', fileSystem: 'unknown' })
  const volumes = await Promise.all(mounts.map(measure))
  return volumes.filter((volume) => volume !== undefined)
}

async function measure(mount: Mount): Promise<Volume | undefined> {
  try {
    const { blocks, bfree, bsize } = await statfs(mount.mount)
    if (blocks === 0) return undefined
    return { ...mount, totalBytes: blocks * bsize, usedBytes: (blocks - bfree) * bsize }
  } catch {
    return undefined
  }
}
