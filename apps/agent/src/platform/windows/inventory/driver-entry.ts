import type { Driver } from '@muster/wire/messages/inventory.ts'
import { word } from '../../inventory-values.ts'
import { msOfFileTime } from '../native/layout.ts'
import { dataOf, type EntryValue } from './entry-values.ts'

/** The driver of a device from its key below `Control\Class`; undefined for a device without one. */
export function driverOf(values: readonly EntryValue[]): Driver | undefined {
  const name = word(dataOf(values, 'DriverDesc'))
  if (name === undefined) return undefined
  return {
    name,
    version: word(dataOf(values, 'DriverVersion')),
    publisher: word(dataOf(values, 'ProviderName')),
    date: dateOf(dataOf(values, 'DriverDateData')),
  }
}

/** A FILETIME as bytes. */
function dateOf(data: unknown): number | undefined {
  const bytes = Buffer.from(typeof data === 'string' ? data : '', 'base64')
  if (bytes.length !== 8) return undefined
  const at = msOfFileTime(bytes.readBigUInt64LE())
  return at > 0 ? at : undefined
}
