import type { Hardware } from '@muster/wire/messages/inventory.ts'
import { dll } from '../native/koffi.ts'
import { struct, u32 } from '../native/layout.ts'
import { machineKey, valueAt } from './registry-reading.ts'

/** TPM_DEVICE_INFO */
const ChipInfo = struct({ structVersion: u32, version: u32, interfaceType: u32, revision: u32 })
const versions: Readonly<Record<number, string>> = { 1: '1.2', 2: '2.0' }
const found = 0
/** TBS_E_TPM_NOT_FOUND */
const notFound = 0x8028_400f

/** The TPM; undefined when the system does not tell. */
export function securityChip(): Hardware['tpm'] {
  const info = Buffer.alloc(ChipInfo.size)
  switch (chipInfo(info)) {
    case found:
      return { present: true, version: versions[ChipInfo.read(info).version] }
    case notFound:
      return { present: false }
    default:
      return undefined
  }
}

/** Not loaded with the other libraries: a reduced Windows lacks it. */
function chipInfo(info: Buffer): number | undefined {
  try {
    const getDeviceInfo = dll('tbs').func<(size: number, info: Buffer) => number>('Tbsi_GetDeviceInfo', 'uint32_t', [
      'uint32_t',
      'void *',
    ])
    return getDeviceInfo(info.length, info)
  } catch {
    return undefined
  }
}

/** Undefined on a machine that started without UEFI. */
export function hasSecureBoot(): boolean | undefined {
  const state = valueAt(machineKey('SYSTEM\\CurrentControlSet\\Control\\SecureBoot\\State'), 'UEFISecureBootEnabled')
  return typeof state === 'number' ? state === 1 : undefined
}
