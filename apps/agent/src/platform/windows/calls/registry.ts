import { ToolFailure } from '../../../tool-failure.ts'
import { u32Buffer } from '../native/accounts.ts'
import { winErrors } from '../native/error-codes.ts'
import { failureOfCall, mustSucceed, Win32Error } from '../native/errors.ts'
import type { Handle } from '../native/koffi.ts'
import { wide } from '../native/layout.ts'
import {
  deleteOpenKey,
  dosError,
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
/** Opens a link itself instead of the key that it leads to. */
const openLink = 0x8
const linkValue = 'SymbolicLinkValue'

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
export function withKey<T>(place: KeyPlace, wanted: number, work: (key: Handle) => T, options = 0): T {
  const opened = Buffer.alloc(8)
  try {
    mustSucceed(
      'RegOpenKeyExW',
      regOpenKey(rootOf(place.hive), wide(place.path), options, wanted | views[place.view], opened),
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
    // Its answer to a key directly below HKEY_LOCAL_MACHINE or HKEY_USERS.
    if (error instanceof Win32Error && error.code === winErrors.invalidParameter)
      throw new ToolFailure('INVALID_PAYLOAD', `path: Windows allows no new keys directly below ${hive}`)
    throw failureOfCall(error, shown({ hive, path, view }))
  }
  regCloseKey(opened.readBigInt64LE())
  return { done: true }
}

interface FoundKey {
  path: string
  isLink: boolean
}

/**
 * Deletes a key with all keys below it, deepest first. Of a link, only the link itself is deleted. Refused when there are
 * many: nothing is deleted then.
 */
export function deleteKey(place: KeyPlace): { done: true } {
  const keys = keysAtAndBelow(place)
  let deleted = 0
  for (const { path, isLink } of keys.toReversed()) {
    const code = isLink
      ? deleteLink({ ...place, path })
      : regDeleteKey(rootOf(place.hive), wide(path), views[place.view], 0)
    if (code === winErrors.success) deleted++
    // Another program deleted it meanwhile.
    else if (code !== winErrors.fileNotFound || path === place.path) {
      const { code: kind, message } = failureOfDeletion({ ...place, path }, code)
      const part = deleted === 0 ? '' : `; ${deleted} of the ${keys.length} keys of ${shown(place)} are deleted`
      throw new ToolFailure(kind, `${message}${part}`)
    }
  }
  return { done: true }
}

/** What a link leads to belongs to another part of the registry, so the keys there are not counted. */
function keysAtAndBelow(place: KeyPlace): FoundKey[] {
  const keys: FoundKey[] = []
  const paths = [place.path]
  for (const path of paths) {
    const look = (key: Handle) =>
      readValue(key, linkValue)?.type === 'REG_LINK' ? undefined : subkeysOf(key, deletedKeysMax + 1)
    const below = withKey({ ...place, path }, rights.read, look, openLink)
    keys.push({ path, isLink: below === undefined })
    paths.push(...(below ?? []).map((name) => `${path}\\${name}`))
    if (paths.length > deletedKeysMax)
      throw new ToolFailure('TOO_LARGE', `${shown(place)} has more than ${deletedKeysMax} keys; delete them in parts`)
  }
  return keys
}

/** A deletion by name would follow the link. @returns the error code */
function deleteLink(place: KeyPlace): number {
  return withKey(place, rights.delete, (key) => dosError(deleteOpenKey(key)), openLink)
}

/** Windows denies the deletion of a key that has keys below it, as it does without a permission. */
function failureOfDeletion(place: KeyPlace, code: number): ToolFailure {
  const failure = failureOfCall(new Win32Error('RegDeleteKeyExW', code), shown(place))
  if (code !== winErrors.accessDenied || !hasKeys(place)) return failure
  return new ToolFailure('CHANGED', `${shown(place)} got new keys while it was deleted`)
}

function hasKeys(place: KeyPlace): boolean {
  try {
    return withKey(place, rights.read, (key) => subkeysOf(key, 1)).length > 0
  } catch {
    return false
  }
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
