/** What the firmware tells about a machine. */
export interface Smbios {
  manufacturer: string | undefined
  model: string | undefined
  serialNumber: string | undefined
  assetTag: string | undefined
  chassis: string | undefined
  biosVendor: string | undefined
  biosVersion: string | undefined
  cpuMhz: number | undefined
  cores: number | undefined
}

const rawHeaderBytes = 8
const types = { bios: 0, system: 1, chassis: 3, processor: 4, end: 127 } as const
// Chassis types of the SMBIOS specification, 7.4.1.
const chassisWords: Readonly<Record<number, string>> = {
  3: 'Desktop',
  4: 'Low Profile Desktop',
  6: 'Mini Tower',
  7: 'Tower',
  8: 'Portable',
  9: 'Laptop',
  10: 'Notebook',
  13: 'All in One',
  14: 'Sub Notebook',
  17: 'Main Server Chassis',
  23: 'Rack Mount Chassis',
  28: 'Blade',
  30: 'Tablet',
  31: 'Convertible',
  32: 'Detachable',
  35: 'Mini PC',
}

interface Structure {
  type: number
  data: Buffer
  strings: string[]
}

/** Parses the table of `GetSystemFirmwareTable('RSMB')`: a header of eight bytes, then the structures. */
export function parseSmbios(table: Buffer): Smbios {
  const all = structuresIn(table.subarray(rawHeaderBytes))
  const first = (type: number) => all.find((structure) => structure.type === type)
  const [bios, system, chassis] = [first(types.bios), first(types.system), first(types.chassis)]
  const processors = all.filter(({ type }) => type === types.processor)
  const cores = processors.reduce((sum, { data }) => sum + byteAt(data, 0x23), 0)
  const kind = chassis === undefined ? 0 : byteAt(chassis.data, 5) & 0x7f
  return {
    manufacturer: textOf(system, 4),
    model: textOf(system, 5),
    serialNumber: textOf(system, 7),
    assetTag: textOf(chassis, 8),
    chassis: chassisWords[kind],
    biosVendor: textOf(bios, 4),
    biosVersion: textOf(bios, 5),
    cpuMhz:
      processors[0] === undefined || processors[0].data.length < 0x16
        ? undefined
        : processors[0].data.readUInt16LE(0x14),
    cores: cores === 0 ? undefined : cores,
  }
}

const byteAt = (data: Buffer, at: number): number => data[at] ?? 0

/** Each structure has a formatted part of a given length, then texts that two NULs end. */
function structuresIn(table: Buffer): Structure[] {
  const found: Structure[] = []
  let at = 0
  while (at + 4 <= table.length) {
    const [type, length] = [byteAt(table, at), byteAt(table, at + 1)]
    if (length < 4 || type === types.end) break
    const data = table.subarray(at, at + length)
    const end = table.indexOf('\0\0', at + length, 'latin1')
    if (end < 0) break
    const strings = table.toString('latin1', at + length, end).split('\0')
    found.push({ type, data, strings })
    at = end + 2
  }
  return found
}

function textOf(structure: Structure | undefined, at: number): string | undefined {
  const number = structure === undefined ? 0 : byteAt(structure.data, at)
  return number === 0 ? undefined : structure?.strings[number - 1]?.trim()
}
