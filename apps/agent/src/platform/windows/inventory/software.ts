import type { InstalledSoftware } from '@muster/wire/messages/inventory.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import { type KeyPlace, type RegistryValue, subkeysOf, valuesOf, withKey } from '../calls/registry.ts'
import { softwareOf } from './uninstall-entry.ts'

const uninstall = 'Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
const readRights = 0x2_0019
const entriesMax = 10_000
const valuesMax = 200
const entryBytesMax = 256 * 1024
/** Accounts of services have no software of their own. */
const personSid = /^S-1-(5-21|12-1)-[\d-]+$/

/** Programs of the three Uninstall keys: 64-bit, 32-bit, and of each user who is signed in. */
export async function collectSoftware(): Promise<InstalledSoftware[]> {
  const machine = { hive: 'HKEY_LOCAL_MACHINE', path: uninstall } as const
  const found = [
    ...programsIn({ ...machine, view: '64' }, 'x64'),
    ...programsIn({ ...machine, view: '32' }, 'x86'),
    ...userKeys().flatMap((sid) =>
      programsIn({ hive: 'HKEY_USERS', path: `${sid}\\${uninstall}`, view: '64' }, 'user'),
    ),
  ]
  const seen = new Set<string>()
  return found.filter(({ name, version }) => {
    const key = `${name}\n${version}`
    return !seen.has(key) && seen.add(key)
  })
}

const userKeys = (): string[] =>
  read({ hive: 'HKEY_USERS', path: '', view: '64' }, (names) => names.filter((name) => personSid.test(name)))

function programsIn(place: KeyPlace, source: string): InstalledSoftware[] {
  return read(place, (names) =>
    names.flatMap((name) => {
      const values = entryValues({ ...place, path: `${place.path}\\${name}` })
      const program = softwareOf(values, source)
      return program === undefined ? [] : [program]
    }),
  )
}

function read<T>(place: KeyPlace, work: (names: string[]) => T[]): T[] {
  try {
    return work(withKey(place, readRights, (key) => subkeysOf(key, entriesMax)))
  } catch (error) {
    if (error instanceof ToolFailure) return []
    throw error
  }
}

function entryValues(place: KeyPlace): RegistryValue[] {
  try {
    return withKey(place, readRights, (key) => valuesOf(key, valuesMax, entryBytesMax)).values
  } catch (error) {
    if (error instanceof ToolFailure) return []
    throw error
  }
}
