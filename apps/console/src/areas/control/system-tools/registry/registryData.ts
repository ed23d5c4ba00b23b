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

/** The data as the form shows it: one line each for lists, base64 for bytes. */
export const textOf = (data: Value['data']): string =>
  Array.isArray(data) ? data.map(String).join('\n') : data === null ? '' : String(data)

/** The data as a line of the table: numbers in both notations, as Windows shows them. */
export const shownData = ({ type, data }: Value): string => {
  if (typeof data === 'number') return `0x${data.toString(16).padStart(8, '0')} (${data})`
  return type === 'REG_MULTI_SZ' ? textOf(data).replaceAll('\n', ', ') : textOf(data)
}

const wholeMax: Readonly<Partial<Record<Type, bigint>>> = { REG_DWORD: 2n ** 32n - 1n, REG_QWORD: 2n ** 64n - 1n }
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Why the text is no data of this type; undefined when it is. */
export function faultOf(type: Type, text: string): string | undefined {
  const most = wholeMax[type]
  if (most !== undefined && !(/^\d{1,20}$/.test(text.trim()) && BigInt(text) <= most))
    return `Enter a whole number from 0 to ${most}`
  if (type === 'REG_BINARY' && !base64.test(text.trim())) return 'Enter the bytes in base64'
  return undefined
}

/** What is sent for the text of the form. Numbers that JavaScript cannot hold exactly stay text. */
export function dataOf(type: Type, text: string): Data {
  if (type === 'REG_MULTI_SZ') return text === '' ? [] : text.split('\n')
  if (wholeMax[type] === undefined) return type === 'REG_BINARY' ? text.trim() : text
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text.trim()
}
