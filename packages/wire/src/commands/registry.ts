// The Windows registry. Agents on other systems answer UNSUPPORTED_PLATFORM.
import { z } from 'zod'
import { undeletable } from './deletable-key.ts'
import { line } from './fields.ts'

const hive = z.enum([
  'HKEY_LOCAL_MACHINE',
  'HKEY_CURRENT_USER',
  'HKEY_CLASSES_ROOT',
  'HKEY_USERS',
  'HKEY_CURRENT_CONFIG',
])
const key = line(2_048).regex(/^[^\\]{1,255}(\\[^\\]{1,255})*$/, {
  error: 'must be names of keys, separated by single backslashes, with at most 255 characters each',
})
const name = line(16_383)
/** The part of the registry that 32-bit programs see, or the one of 64-bit programs, which is the default. */
const view = z.enum(['32', '64']).optional()
export const RegistryType = z.enum(['REG_SZ', 'REG_EXPAND_SZ', 'REG_MULTI_SZ', 'REG_DWORD', 'REG_QWORD', 'REG_BINARY'])

/** `bytes` is text in base64 of UTF-16LE, if `data` cannot contain it: NUL arrives as U+FFFD. */
export const RegistryValue = z.object({
  name: z.string(),
  type: z.string(),
  data: z.json(),
  bytes: z.string().optional(),
})

export const RegistryKeyPlace = z.object({ hive, path: key.optional(), view })
export const RegistryKeys = z.object({ keys: z.array(z.string()), truncated: z.boolean() })
export const RegistryValues = z.object({ values: z.array(RegistryValue), truncated: z.boolean() })

export const RegistryValuePlace = z.object({ hive, path: key, name, view })
const data = z.union([line(32_767), z.number(), z.array(line(32_767)).max(1_000)])

/** A value to write, before its data is compared with its type. */
export const RegistryValueChange = RegistryValuePlace.extend({ type: RegistryType, data })

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const isWhole = (given: z.output<typeof data>, most: number) =>
  typeof given === 'number' && Number.isSafeInteger(given) && given >= 0 && given <= most
/** A number that JSON numbers cannot hold exactly. */
const isLargeText = (given: z.output<typeof data>) =>
  typeof given === 'string' &&
  /^\d{16,20}$/.test(given) &&
  BigInt(given) > BigInt(Number.MAX_SAFE_INTEGER) &&
  BigInt(given) <= 0xffff_ffff_ffff_ffffn

/** What the data of each type must be. */
const dataOfType: Readonly<
  Record<z.output<typeof RegistryType>, { readonly is: string; fits(given: z.output<typeof data>): boolean }>
> = {
  REG_SZ: { is: 'a text', fits: (given) => typeof given === 'string' },
  REG_EXPAND_SZ: { is: 'a text', fits: (given) => typeof given === 'string' },
  REG_MULTI_SZ: {
    is: 'a list of texts that are not empty',
    fits: (given) => Array.isArray(given) && !given.includes(''),
  },
  REG_DWORD: { is: 'a number, whole and below 2^32', fits: (given) => isWhole(given, 0xffff_ffff) },
  REG_QWORD: {
    is: 'a number, whole and below 2^53, or text for one from 2^53 to 2^64 - 1',
    fits: (given) => isWhole(given, Number.MAX_SAFE_INTEGER) || isLargeText(given),
  },
  REG_BINARY: { is: 'base64', fits: (given) => typeof given === 'string' && base64.test(given) },
}

/** What reads and deletes a value has its key and its name in a URL, and servers limit those. */
const urlCharsMax = 8_192
const urlChars = (text: string) => encodeURIComponent(text.toWellFormed()).length

export const SetRegistryValue = RegistryValueChange.superRefine(({ path, name, type, data }, context) => {
  if (urlChars(path) + urlChars(name) > urlCharsMax)
    context.addIssue({
      code: 'custom',
      path: ['name'],
      message: 'must be shorter: with its key it does not fit into a URL',
    })
  const { is, fits } = dataOfType[type]
  if (!fits(data)) context.addIssue({ code: 'custom', path: ['data'], message: `must be ${is} for ${type}` })
})
export const RegistryKeyName = z.object({ hive, path: key, view })
/** A key whose deletion does not break the machine or the profile of a user. */
export const DeletableRegistryKey = RegistryKeyName.superRefine(({ hive, path }, context) => {
  const message = undeletable(hive, path)
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['path'], message })
})
export const RegistryDone = z.object({ done: z.literal(true) })
