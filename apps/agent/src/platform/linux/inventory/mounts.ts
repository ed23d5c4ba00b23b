import { readFile, statfs } from 'node:fs/promises'

export interface Volume {
  device: string
  mount: string
  fileSystem: string
  totalBytes: number
  usedBytes: number
}

export interface Mount {
  device: string
  mount: string
  fileSystem: string
}

// Read-only images are always full and say nothing about free space.
const imageFileSystems = new Set(['squashfs', 'iso9660', 'udf', 'erofs'])
const poolFileSystems = new Set(['zfs', 'btrfs'])

/** All mounts, from /proc/self/mounts. */
function mountsIn(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [device, mount, fileSystem] = line.split(' ').map(unescapeOctal)
    return device === undefined || mount === undefined || fileSystem === undefined
      ? []
      : [{ device, mount, fileSystem }]
  })
}

/** Local mounts with data, one per device. Network file systems are excluded, because a dead server would block the call. */
export function parseMounts(text: string): Mount[] {
  const found = new Map<string, Mount>()
  for (const { device, mount, fileSystem } of mountsIn(text)) {
    const local = device.startsWith('/dev/') || poolFileSystems.has(fileSystem)
    // All data sets of a ZFS pool share its space, as all mounts of a device do.
    const store = fileSystem === 'zfs' ? device.split('/', 1).join() : device
    if (!local || imageFileSystems.has(fileSystem) || found.has(store)) continue
    found.set(store, { device, mount, fileSystem })
  }
  return [...found.values()]
}

/** What a path is on: the deepest mount above it, the last of several at the same place. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  let found: Mount | undefined
  for (const each of mounts) {
    const isAbove = each.mount === '/' || path === each.mount || path.startsWith(`${each.mount}/`)
    if (isAbove && each.mount.length >= (found?.mount.length ?? 0)) found = each
  }
  return found
}

/** Reading the table never waits for a file system. */
export const readMounts = async (): Promise<Mount[]> => mountsIn(await readFile('/proc/self/mounts', 'utf8'))

// The kernel escapes space, tab, newline and backslash in octal, such as \040.
function unescapeOctal(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

/** The local volumes with their sizes; the root file system in a container that shows none. */
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
