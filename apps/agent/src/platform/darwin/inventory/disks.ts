import type { Disk } from '@muster/wire/messages/inventory.ts'
import { z } from 'zod'
import { whole, word } from '../../inventory-values.ts'
import { type Mac, printed } from '../mac.ts'
import { parsePlist } from '../plist.ts'

const devicesMax = 64
const diskName = /^disk\d+$/
const List = z.object({ WholeDisks: z.array(z.string()).default([]) })
const Info = z.looseObject({
  MediaName: z.string().optional(),
  IORegistryEntryName: z.string().optional(),
  BusProtocol: z.string().optional(),
  Size: z.number().optional(),
  TotalSize: z.number().optional(),
  SolidState: z.boolean().optional(),
})
/** Volumes that macOS keeps for itself beside the system in the same container. */
const hiddenMounts = /^\/(System\/Volumes\/(?!Data$)|Library\/Developer\/CoreSimulator\/|private\/var\/vm$|dev$)/

/** Physical disks, then the volumes on them. Only volumes have a usage. */
export async function collectDisks(mac: Mac): Promise<Disk[]> {
  const names = parseDiskList(await printed(mac, 'diskutil', ['list', '-plist', 'physical']))
  const disks: Disk[] = []
  for (const name of names) {
    const disk = parseDisk(name, await printed(mac, 'diskutil', ['info', '-plist', name]))
    if (disk !== undefined) disks.push(disk)
  }
  // Only local volumes: a dead server would block the call.
  const fileSystems = parseMounts(await printed(mac, 'mount', []))
  return [...disks, ...parseVolumes(await printed(mac, 'df', ['-lkP']), fileSystems)]
}

export function parseDiskList(xml: string): string[] {
  const list = List.safeParse(parsePlist(xml))
  return list.success ? list.data.WholeDisks.filter((name) => diskName.test(name)).slice(0, devicesMax) : []
}

export function parseDisk(name: string, xml: string): Disk | undefined {
  const parsed = Info.safeParse(parsePlist(xml))
  if (!parsed.success) return undefined
  const { MediaName, IORegistryEntryName, BusProtocol, SolidState, TotalSize, Size } = parsed.data
  const kind = [word(BusProtocol), SolidState === undefined ? undefined : SolidState ? 'SSD' : 'HD']
  return {
    name: word(MediaName) ?? word(IORegistryEntryName) ?? name,
    kind: kind.filter(Boolean).join(' ').slice(0, 64) || 'disk',
    totalBytes: whole(TotalSize ?? Size),
  }
}

/** The file system of each mount point from `mount`: `/dev/disk3s5 on /Volumes/A b (apfs, local)`. */
export function parseMounts(text: string): Map<string, string> {
  const lines = text.matchAll(/^.+? on (\/.*) \(([^,()]+)[^()]*\)$/gmu)
  return new Map([...lines].map(([, mount = '', fileSystem = '']) => [mount, fileSystem]))
}

/** Volumes from `df -lkP`. Those of one APFS container share its space, so what is not free is used by one of them. */
export function parseVolumes(text: string, fileSystems: ReadonlyMap<string, string>): Disk[] {
  const blockBytes = Number(/^Filesystem\s+(\d+)-blocks/.exec(text)?.[1] ?? 1024)
  return text.split('\n').flatMap((line) => {
    const shape = /^(\/dev\/\S+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+[\d-]+%?\s+(\/.*)$/u
    const [, device = '', blocks, used, available, mount = ''] = shape.exec(line) ?? []
    const total = Number(blocks) * blockBytes
    if (device === '' || total === 0 || hiddenMounts.test(mount)) return []
    const fileSystem = fileSystems.get(mount)?.slice(0, 64)
    const usedBlocks = fileSystem === 'apfs' ? Number(blocks) - Math.max(0, Number(available)) : Number(used)
    return [
      {
        name: device.slice(0, 255),
        kind: 'volume',
        fileSystem,
        mount: mount.slice(0, 1024),
        totalBytes: total,
        usedBytes: Math.max(0, Math.min(total, usedBlocks * blockBytes)),
      },
    ]
  })
}
