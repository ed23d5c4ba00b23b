import { ToolFailure } from '../../../tool-failure.ts'
import { type KeyPlace, type RegistryValue, readValue, subkeysOf, valuesOf, withKey } from '../calls/registry.ts'

const readRights = 0x2_0019
const keysMax = 50_000
const valuesMax = 200
const valueBytesMax = 256 * 1024

/** A key below HKEY_LOCAL_MACHINE, as 64-bit programs see it. */
export const machineKey = (path: string): KeyPlace => ({ hive: 'HKEY_LOCAL_MACHINE', path, view: '64' })

export const keyBelow = (place: KeyPlace, name: string): KeyPlace => ({ ...place, path: `${place.path}\\${name}` })

/** The names of the keys below a key; none where it is missing or closed. */
export const keyNames = (place: KeyPlace): string[] =>
  orElse([], () => withKey(place, readRights, (key) => subkeysOf(key, keysMax)))

/** The values of a key; none where it is missing or closed. */
export const keyValues = (place: KeyPlace): RegistryValue[] =>
  orElse([], () => withKey(place, readRights, (key) => valuesOf(key, valuesMax, valueBytesMax).values))

export const hasKey = (place: KeyPlace): boolean => orElse(false, () => withKey(place, readRights, () => true))

/** The data of one value; undefined where the key or the value is missing. */
export const valueAt = (place: KeyPlace, name: string): RegistryValue['data'] | undefined =>
  orElse(undefined, () => withKey(place, readRights, (key) => readValue(key, name)?.data))

function orElse<T>(missing: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ToolFailure) return missing
    throw error
  }
}
