import { cpus, totalmem } from 'node:os'
import type { Disk, Hardware } from '@muster/wire/messages/inventory.ts'
import { whole, word } from '../../inventory-values.ts'
import {
  DiskSpace,
  getDiskFreeSpace,
  getDriveType,
  getLogicalDriveStrings,
  getSystemFirmwareTable,
  getVolumeInformation,
} from '../native/kernel32.ts'
import { textAt, wide } from '../native/layout.ts'
import { parseSmbios } from './smbios.ts'

/** The name of the SMBIOS tables for the firmware: "RSMB". */
const rawSmbios = 0x5253_4d42
const fixedDrive = 3
const removableDrive = 2

export async function collectHardware(): Promise<Hardware> {
  const firmware = parseSmbios(firmwareTable())
  const processors = cpus()
  const model = word(firmware.model)
  const manufacturer = word(firmware.manufacturer)
  return {
    manufacturer,
    model,
    serialNumber: word(firmware.serialNumber),
    chassis: word(firmware.chassis)?.slice(0, 64),
    virtual: /virtual|vmware|qemu|kvm|xen|bochs|parallels/i.test(`${manufacturer} ${model}`),
    biosVendor: word(firmware.biosVendor),
    biosVersion: word(firmware.biosVersion),
    cpuModel: word(processors[0]?.model),
    cpuCores: whole(firmware.cores),
    cpuThreads: whole(processors.length),
    cpuMhz: whole(processors[0]?.speed) ?? whole(firmware.cpuMhz),
    memoryBytes: whole(totalmem()),
  }
}

function firmwareTable(): Buffer {
  const size = getSystemFirmwareTable(rawSmbios, 0, null, 0)
  const table = Buffer.alloc(size)
  getSystemFirmwareTable(rawSmbios, 0, table, size)
  return table
}

/** The volumes of local drives. Network drives are excluded, because a dead server would block the call. */
export async function collectDisks(): Promise<Disk[]> {
  const roots = Buffer.alloc(1_024)
  const chars = getLogicalDriveStrings(roots.length / 2, roots)
  return roots
    .toString('utf16le', 0, chars * 2)
    .split('\0')
    .filter((root) => root !== '')
    .flatMap((root) => volumeOf(root) ?? [])
}

function volumeOf(root: string): Disk | undefined {
  const type = getDriveType(wide(root))
  if (type !== fixedDrive && type !== removableDrive) return undefined
  const [label, fileSystem] = [Buffer.alloc(522), Buffer.alloc(522)]
  const chars = label.length / 2
  const isKnown = getVolumeInformation(wide(root), label, chars, null, null, null, fileSystem, chars) !== 0
  const space = Buffer.alloc(DiskSpace.size)
  const part = (member: 'availableToCaller' | 'total' | 'free') => space.subarray(DiskSpace.offsetOf(member))
  const hasSpace = getDiskFreeSpace(wide(root), part('availableToCaller'), part('total'), part('free')) !== 0
  const { total, free } = DiskSpace.read(space)
  return {
    name: (isKnown && textAt(label, 0)) || root,
    kind: type === removableDrive ? 'removable volume' : 'volume',
    fileSystem: (isKnown && textAt(fileSystem, 0)) || undefined,
    mount: root,
    totalBytes: hasSpace ? total : undefined,
    usedBytes: hasSpace ? total - free : undefined,
  }
}
