import { ToolFailure } from '../../../tool-failure.ts'
import { u32Buffer } from '../native/accounts.ts'
import { winErrors } from '../native/error-codes.ts'
import { failureOfCall, mustSucceed } from '../native/errors.ts'
import type { Handle } from '../native/koffi.ts'
import { wide } from '../native/layout.ts'
import {
  regCloseKey,
  regCreateKey,
  regDeleteKey,
  regDeleteValue,
  regEnumKey,
  regEnumValue,
  regOpenKey,
  regQueryValue,
  regSetValue,
} from '../native/registry-api.ts'
import { bytesOf, dataOf, type RegistryData, typeName, typeNumber } from '../registry-data.ts'

/** A key of the registry. The empty path is the hive itself. */
export interface KeyPlace {
  hive: string
  path: string
  view: '32' | '64'
}
export interface RegistryValue {
  name: string
  type: string
  data: RegistryData
}

// Handles of the hives: 32-bit numbers whose sign is extended.
const hives: Readonly<Record<string, number>> = {
  HKEY_CLASSES_ROOT: 0x8000_0000 | 0,
  HKEY_CURRENT_USER: 0x8000_0001 | 0,
  HKEY_LOCAL_MACHINE: 0x8000_0002 | 0,
  HKEY_USERS: 0x8000_0003 | 0,
  HKEY_CURRENT_CONFIG: 0x8000_0005 | 0,
}
const views = { '32': 0x200, '64': 0x100 } as const
const rights = { read: 0x2_0019, write: 0x2_0006, delete: 0x1_0000 } as const

const keysShownMax = 5_000
const valuesShownMax = 2_000
const keyNameChars = 256
const valueNameChars = 16_384
/** A value above this is shown as too large; all values of an answer share a frame. */
const valueBytesMax = 256 * 1024
const answerBytesMax = 2 * 1024 * 1024
/** A deep delete of more keys is refused. */
const deletedKeysMax = 1_000

const shown = ({ hive, path }: KeyPlace) => `Registry key ${path === '' ? hive : `${hive}\\${path}`}`

function rootOf(hive: string): number {
  const root = hives[hive]
  if (root === undefined) throw new ToolFailure('INVALID_PAYLOAD', `hive ${hive} is unknown`)
  return root
}

/** Opens a key during a callback. @throws ToolFailure when it does not exist, or this user may not */
export function withKey<T>(place: KeyPlace, wanted: number, work: (key: Handle) => T): T {
  const opened = Buffer.alloc(8)
  try {
    mustSucceed(
      'RegOpenKeyExW',
      regOpenKey(rootOf(place.hive), wide(place.path), 0, wanted | views[place.view], opened),
    )
    const key = opened.readBigInt64LE()
    try {
      return work(key)
    } finally {
      regCloseKey(key)
    }
  } catch (error) {
    throw failureOfCall(error, shown(place))
  }
}

/** The keys below a key, at most a number of them. */
export function subkeysOf(key: Handle, most: number): string[] {
  const names: string[] = []
  const name = Buffer.alloc(keyNameChars * 2)
  for (let index = 0; names.length < most; index++) {
    const chars = u32Buffer(keyNameChars)
    const code = regEnumKey(key, index, name, chars, null, null, null, null)
    if (code === winErrors.noMoreItems) break
    mustSucceed('RegEnumKeyExW', code)
    names.push(name.toString('utf16le', 0, chars.readUInt32LE() * 2))
  }
  return names
}

export function listKeys(place: KeyPlace): { keys: string[]; truncated: boolean } {
  const keys = withKey(place, rights.read, (key) => subkeysOf(key, keysShownMax + 1))
  return { keys: keys.slice(0, keysShownMax), truncated: keys.length > keysShownMax }
}

/** The values of a key; those above the limit of one answer are left out. */
export function valuesOf(key: Handle, most: number, bytesMax: number): { values: RegistryValue[]; truncated: boolean } {
  const values: RegistryValue[] = []
  const name = Buffer.alloc(valueNameChars * 2)
  const data = Buffer.alloc(valueBytesMax)
  let bytes = 0
  for (let index = 0; ; index++) {
    const [chars, type, size] = [u32Buffer(valueNameChars), u32Buffer(), u32Buffer(data.length)]
    const code = regEnumValue(key, index, name, chars, null, type, data, size)
    if (code === winErrors.noMoreItems) return { values, truncated: false }
    if (code === winErrors.moreData) return { values, truncated: true }
    mustSucceed('RegEnumValueW', code)
    bytes += size.readUInt32LE()
    if (values.length >= most || bytes > bytesMax) return { values, truncated: true }
    const kind = typeName(type.readUInt32LE())
    values.push({
      name: name.toString('utf16le', 0, chars.readUInt32LE() * 2),
      type: kind,
      data: dataOf(kind, data.subarray(0, size.readUInt32LE())),
    })
  }
}

export function listValues(place: KeyPlace): { values: RegistryValue[]; truncated: boolean } {
  return withKey(place, rights.read, (key) => valuesOf(key, valuesShownMax, answerBytesMax))
}

/** One value of an open key; undefined when the key does not have it. */
export function readValue(key: Handle, name: string): RegistryValue | undefined {
  const [type, size] = [u32Buffer(), u32Buffer()]
  const found = regQueryValue(key, wide(name), null, type, null, size)
  if (found === winErrors.fileNotFound) return undefined
  mustSucceed('RegQueryValueExW', found)
  if (size.readUInt32LE() > answerBytesMax)
    throw new ToolFailure('TOO_LARGE', `registry value ${name} has ${size.readUInt32LE()} bytes`)
  const data = Buffer.alloc(size.readUInt32LE())
  mustSucceed('RegQueryValueExW', regQueryValue(key, wide(name), null, type, data, size))
  const kind = typeName(type.readUInt32LE())
  return { name, type: kind, data: dataOf(kind, data.subarray(0, size.readUInt32LE())) }
}

/** The default value of a key has the empty name. */
export function getValue(place: KeyPlace, name: string): RegistryValue {
  return withKey(place, rights.read, (key) => readValue(key, name) ?? missing(name))
}

function missing(name: string): never {
  throw new ToolFailure('NOT_FOUND', `Registry value ${name === '' ? '(default)' : name} not found`)
}

export function setValue(place: KeyPlace, { name, type, data }: RegistryValue): { done: true } {
  const bytes = bytesOf(type, data)
  withKey(place, rights.write, (key) =>
    mustSucceed('RegSetValueExW', regSetValue(key, wide(name), 0, typeNumber(type), bytes, bytes.length)),
  )
  return { done: true }
}

export function deleteValue(place: KeyPlace, name: string): { done: true } {
  withKey(place, rights.write, (key) => {
    const code = regDeleteValue(key, wide(name))
    if (code === winErrors.fileNotFound) missing(name)
    mustSucceed('RegDeleteValueW', code)
  })
  return { done: true }
}

/** Creates a key, with the keys above it where they are missing. */
export function createKey({ hive, path, view }: KeyPlace): { done: true } {
  const opened = Buffer.alloc(8)
  try {
    mustSucceed(
      'RegCreateKeyExW',
      regCreateKey(rootOf(hive), wide(path), 0, null, 0, rights.write | views[view], null, opened, u32Buffer()),
    )
  } catch (error) {
    throw failureOfCall(error, shown({ hive, path, view }))
  }
  regCloseKey(opened.readBigInt64LE())
  return { done: true }
}

/** Deletes a key with all keys below it, deepest first. Refused when there are many: nothing is deleted then. */
export function deleteKey(place: KeyPlace): { done: true } {
  const paths = [place.path]
  for (const path of paths) {
    const below = withKey({ ...place, path }, rights.read, (key) => subkeysOf(key, deletedKeysMax + 1))
    paths.push(...below.map((name) => `${path}\\${name}`))
    if (paths.length > deletedKeysMax)
      throw new ToolFailure('TOO_LARGE', `${shown(place)} has more than ${deletedKeysMax} keys; delete them in parts`)
  }
  for (const path of paths.reverse()) {
    try {
      mustSucceed('RegDeleteKeyExW', regDeleteKey(rootOf(place.hive), wide(path), views[place.view], 0))
    } catch (error) {
      throw failureOfCall(error, shown({ ...place, path }))
    }
  }
  return { done: true }
}

/** A text below HKEY_LOCAL_MACHINE; undefined where missing. */
export function machineText(path: string, name: string): string | undefined {
  try {
    const { data } = getValue({ hive: 'HKEY_LOCAL_MACHINE', path, view: '64' }, name)
    return typeof data === 'string' ? data : undefined
  } catch (error) {
    if (error instanceof ToolFailure) return undefined
    throw error
  }
}
