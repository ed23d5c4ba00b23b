import { statSync } from 'node:fs'
import type { Disk } from '@muster/wire/messages/inventory.ts'
import {
  DiskSpace,
  getDiskFreeSpace,
  getDriveType,
  getLogicalDriveStrings,
  getVolumeInformation,
} from '../native/kernel32.ts'
import { textAt, wide } from '../native/layout.ts'

const fixedDrive = 3
const removableDrive = 2

/** The roots of local drives. Network drives are excluded, because a dead server would block every call about them. */
export function localDrives(): string[] {
  const roots = Buffer.alloc(1_024)
  const chars = getLogicalDriveStrings(roots.length / 2, roots)
  return roots
    .toString('utf16le', 0, chars * 2)
    .split('\0')
    .filter((root) => root !== '' && [fixedDrive, removableDrive].includes(getDriveType(wide(root))))
}

/** The local drives, with the time of their last change; 0 for one without a medium. Blocks while a drive does not answer. */
export function listDrives(): { root: string; modifiedMs: number }[] {
  return localDrives().map((root) => {
    try {
      return { root, modifiedMs: statSync(root).mtimeMs }
    } catch {
      return { root, modifiedMs: 0 }
    }
  })
}

/** The volume of a drive. Blocks while the drive does not answer. */
export function volumeOf(root: string): Disk {
  const [label, fileSystem] = [Buffer.alloc(522), Buffer.alloc(522)]
  const chars = label.length / 2
  const isKnown = getVolumeInformation(wide(root), label, chars, null, null, null, fileSystem, chars) !== 0
  const space = Buffer.alloc(DiskSpace.size)
  const part = (member: 'availableToCaller' | 'total' | 'free') => space.subarray(DiskSpace.offsetOf(member))
  const hasSpace = getDiskFreeSpace(wide(root), part('availableToCaller'), part('total'), part('free')) !== 0
  const { total, free } = DiskSpace.read(space)
  return {
    name: (isKnown && textAt(label, 0)) || root,
    kind: getDriveType(wide(root)) === removableDrive ? 'removable volume' : 'volume',
    fileSystem: (isKnown && textAt(fileSystem, 0)) || undefined,
    mount: root,
    totalBytes: hasSpace ? total : undefined,
    usedBytes: hasSpace ? total - free : undefined,
  }
}
