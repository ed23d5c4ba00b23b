import type { Api } from '../../../../api.ts'

type Registry = Api['systemTools']['registry']
type NewValue = Parameters<Registry['setValue']['mutate']>[0]
export type Value = Awaited<ReturnType<Registry['values']['query']>>['values'][number]
export type Type = NewValue['type']
export type Hive = NewValue['hive']
type Data = NewValue['data']

export const hives: readonly Hive[] = [
  'HKEY_LOCAL_MACHINE',
  'HKEY_USERS',
  'HKEY_CURRENT_USER',
  'HKEY_CLASSES_ROOT',
  'HKEY_CURRENT_CONFIG',
]
export const types: readonly (readonly [Type, string])[] = [
  ['REG_SZ', 'Text'],
  ['REG_EXPAND_SZ', 'Text with variables'],
  ['REG_MULTI_SZ', 'List of texts'],
  ['REG_DWORD', 'Number, 32 bits'],
  ['REG_QWORD', 'Number, 64 bits'],
  ['REG_BINARY', 'Bytes'],
]
export const isType = (text: string): text is Type => types.some(([type]) => type === text)

/** A key as the address names it: `HKEY_LOCAL_MACHINE\SOFTWARE`. */
export function keyOf(text: string): { hive: Hive; path?: string } {
  const [name = '', ...names] = text.split('\\')
  const hive = hives.find((each) => each === name) ?? 'HKEY_LOCAL_MACHINE'
  return names.length === 0 ? { hive } : { hive, path: names.join('\\') }
}

/** Which view of the registry is read: that of 32-bit programs, or by default that of 64-bit programs. */
export type View = NewValue['view']

/** A key in one of the views. */
export interface Place {
  readonly hive: Hive
  readonly path: string
  readonly view?: View
}

/** The data as the form shows it: one line each for lists, hexadecimal for bytes. */
export function textOf({ type, data }: Pick<Value, 'type' | 'data'>): string {
  if (type === 'REG_BINARY' && typeof data === 'string' && base64.test(data)) return hexOf(data)
  return Array.isArray(data) ? data.map(String).join('\n') : data === null ? '' : String(data)
}

const hexOf = (encoded: string) =>
  Array.from(atob(encoded), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ')

/** The data as a line of the table: numbers in both notations, as Windows shows them. */
export function shownData({ type, data }: Pick<Value, 'type' | 'data'>): string {
  if (typeof data === 'number') return `0x${data.toString(16).padStart(8, '0')} (${data})`
  return type === 'REG_MULTI_SZ' ? textOf({ type, data }).replaceAll('\n', ', ') : textOf({ type, data })
}

const whole = /^(?:0x[0-9a-f]{1,16}|\d{1,20})$/i
// Base64 has no separators, and four characters at least: no text is both.
const hexBytes = /^[0-9a-f]{2}(?:[\s,]+[0-9a-f]{2})*$/i
const wholeMax: Readonly<Partial<Record<Type, bigint>>> = { REG_DWORD: 2n ** 32n - 1n, REG_QWORD: 2n ** 64n - 1n }
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Why the text is no data of this type; undefined when it is. */
export function faultOf(type: Type, text: string): string | undefined {
  const most = wholeMax[type]
  if (most !== undefined && !(whole.test(text.trim()) && BigInt(text) <= most))
    return `Enter a whole number from 0 to ${most}, in decimal or as 0x1F`
  if (type === 'REG_BINARY' && !base64.test(text.trim()) && !hexBytes.test(text.trim()))
    return 'Enter the bytes as 01 02 ff or in base64'
  return undefined
}

/** What is sent for the text of the form. Numbers that JavaScript cannot hold exactly stay text. */
export function dataOf(type: Type, text: string): Data {
  if (type === 'REG_MULTI_SZ') return text === '' ? [] : text.split('\n')
  if (wholeMax[type] === undefined) return type === 'REG_BINARY' ? encodedOf(text.trim()) : text
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text).toString()
}

const encodedOf = (text: string) =>
  hexBytes.test(text)
    ? btoa(String.fromCharCode(...text.split(/[\s,]+/).map((byte) => Number.parseInt(byte, 16))))
    : text
