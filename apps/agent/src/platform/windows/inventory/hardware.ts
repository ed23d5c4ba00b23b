import { cpus, totalmem } from 'node:os'
import type { Hardware } from '@muster/wire/messages/inventory.ts'
import { whole, word } from '../../inventory-values.ts'
import { getSystemFirmwareTable } from '../native/kernel32.ts'
import { native } from '../thread/native-thread.ts'
import { battery } from './battery.ts'
import { hasSecureBoot } from './security.ts'
import { parseSmbios } from './smbios.ts'

/** The name of the SMBIOS tables for the firmware: "RSMB". */
const rawSmbios = 0x5253_4d42

export async function collectHardware(): Promise<Hardware> {
  const firmware = parseSmbios(firmwareTable())
  const processors = cpus()
  const model = word(firmware.model)
  const manufacturer = word(firmware.manufacturer)
  return {
    manufacturer,
    model,
    serialNumber: word(firmware.serialNumber),
    assetTag: word(firmware.assetTag),
    chassis: word(firmware.chassis)?.slice(0, 64),
    virtual: /virtual|vmware|qemu|kvm|xen|bochs|parallels/i.test(`${manufacturer} ${model}`),
    biosVendor: word(firmware.biosVendor),
    biosVersion: word(firmware.biosVersion),
    cpuModel: word(processors[0]?.model),
    cpuCores: whole(firmware.cores),
    cpuThreads: whole(processors.length),
    cpuMhz: whole(processors[0]?.speed) ?? whole(firmware.cpuMhz),
    memoryBytes: whole(totalmem()),
    tpm: await native('securityChip', []).catch(() => undefined),
    secureBoot: hasSecureBoot(),
    battery: battery(),
  }
}

function firmwareTable(): Buffer {
  const size = getSystemFirmwareTable(rawSmbios, 0, null, 0)
  const table = Buffer.alloc(size)
  getSystemFirmwareTable(rawSmbios, 0, table, size)
  return table
}
