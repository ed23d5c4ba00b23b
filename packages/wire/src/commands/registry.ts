// The Windows registry. Agents on other systems answer UNSUPPORTED_PLATFORM.
import { z } from 'zod'
import { line } from './fields.ts'

const hive = z.enum([
  'HKEY_LOCAL_MACHINE',
  'HKEY_CURRENT_USER',
  'HKEY_CLASSES_ROOT',
  'HKEY_USERS',
  'HKEY_CURRENT_CONFIG',
])
const key = line(2_048).regex(/^[^\\]+(\\[^\\]+)*$/, {
  error: 'must be names of keys, separated by single backslashes',
})
const name = line(16_383)
/** The part of the registry that 32-bit programs see, or the one of 64-bit programs, which is the default. */
const view = z.enum(['32', '64']).optional()
export const RegistryType = z.enum(['REG_SZ', 'REG_EXPAND_SZ', 'REG_MULTI_SZ', 'REG_DWORD', 'REG_QWORD', 'REG_BINARY'])

export const RegistryValue = z.object({ name: z.string(), type: z.string(), data: z.json() })

export const RegistryKeyPlace = z.object({ hive, path: key.optional(), view })
export const RegistryKeys = z.object({ keys: z.array(z.string()), truncated: z.boolean() })
export const RegistryValues = z.object({ values: z.array(RegistryValue), truncated: z.boolean() })

export const RegistryValuePlace = z.object({ hive, path: key, name, view })
export const SetRegistryValue = RegistryValuePlace.extend({
  type: RegistryType,
  data: z.union([line(32_767), z.number(), z.array(line(32_767)).max(1_000)]),
})
export const RegistryKeyName = z.object({ hive, path: key, view })
export const RegistryDone = z.object({ done: z.literal(true) })
