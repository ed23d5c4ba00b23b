import type { InstalledUpdate } from '@muster/wire/messages/inventory.ts'
import { msOfFileTime } from '../native/layout.ts'
import { dataOf, type EntryValue } from './entry-values.ts'

/** Packages of updates in `Component Based Servicing`; the others are parts of Windows. */
export const isUpdatePackage = (key: string): boolean => /^Package_for_/.test(key)

/** CBS_STATE_INSTALLED */
const installed = 0x70

/** The installed update of a package; undefined for one that was replaced or removed. */
export function updateOf(key: string, values: readonly EntryValue[]): InstalledUpdate | undefined {
  if (dataOf(values, 'CurrentState') !== installed) return undefined
  const [label = '', , , , version] = key.replace(/^Package_for_/, '').split('~')
  // A monthly rollup has its number only in the place that it was installed from.
  const number = /KB\d{5,9}/i.exec(label) ?? /\bKB\d{5,9}/i.exec(String(dataOf(values, 'InstallLocation') ?? ''))
  const [high, low] = [dataOf(values, 'InstallTimeHigh'), dataOf(values, 'InstallTimeLow')]
  const at = typeof high === 'number' && typeof low === 'number' ? timeOf(high, low) : 0
  return {
    name: (number?.[0].toUpperCase() ?? label).slice(0, 255),
    version: version === undefined || version === '' ? undefined : version.slice(0, 255),
    installedAt: at > 0 ? at : undefined,
  }
}

const timeOf = (high: number, low: number): number => msOfFileTime((BigInt(high) << 32n) | BigInt(low))

/** One entry per update: its packages share its name. The newest counts. */
export function uniqueUpdates(updates: readonly InstalledUpdate[]): InstalledUpdate[] {
  const newest = new Map<string, InstalledUpdate>()
  for (const update of updates) {
    const known = newest.get(update.name)
    if (known === undefined || (known.installedAt ?? 0) < (update.installedAt ?? 0)) newest.set(update.name, update)
  }
  return [...newest.values()]
}
