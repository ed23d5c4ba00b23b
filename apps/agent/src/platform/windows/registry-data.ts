import { ToolFailure } from '../../tool-failure.ts'

/** Types of registry values by their numbers. */
const typeNames = [
  'REG_NONE',
  'REG_SZ',
  'REG_EXPAND_SZ',
  'REG_BINARY',
  'REG_DWORD',
  'REG_DWORD_BIG_ENDIAN',
  'REG_LINK',
  'REG_MULTI_SZ',
  'REG_RESOURCE_LIST',
  'REG_FULL_RESOURCE_DESCRIPTOR',
  'REG_RESOURCE_REQUIREMENTS_LIST',
  'REG_QWORD',
]

export type RegistryData = string | number | string[]

export const typeName = (type: number): string => typeNames[type] ?? `REG_${type}`
export const typeNumber = (name: string): number => typeNames.indexOf(name)

/** The data of a value as JSON: texts, a list of texts, a number, or base64. A number beyond 2^53 is a text. */
export function dataOf(type: string, bytes: Buffer): RegistryData {
  if (type === 'REG_SZ' || type === 'REG_EXPAND_SZ') return textOf(bytes).replace(/\0$/, '')
  if (type === 'REG_MULTI_SZ') {
    const text = textOf(bytes)
    // Each text has a NUL at its end, and so has the list; programs often forget one of them.
    const list = text.replace(/\0{1,2}$/, '')
    return list === '' ? [] : list.split('\0')
  }
  if (type === 'REG_DWORD' && bytes.length === 4) return bytes.readUInt32LE()
  if (type === 'REG_QWORD' && bytes.length === 8) {
    const value = bytes.readBigUInt64LE()
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value)
  }
  // Also a number of another length than its type has.
  return bytes.toString('base64')
}

// A text with half a character at its end was written by a faulty program.
const textOf = (bytes: Buffer): string => bytes.toString('utf16le', 0, bytes.length & ~1)

/** The bytes of new data. @throws ToolFailure when the data does not fit the type */
export function bytesOf(type: string, data: RegistryData): Buffer {
  const wrong = (what: string) => new ToolFailure('INVALID_PAYLOAD', `data of ${type} must be ${what}`)
  switch (type) {
    case 'REG_SZ':
    case 'REG_EXPAND_SZ':
      if (typeof data !== 'string') throw wrong('a text')
      return Buffer.from(`${data}\0`, 'utf16le')
    case 'REG_MULTI_SZ':
      if (!Array.isArray(data)) throw wrong('a list of texts')
      if (data.includes('')) throw wrong('a list without empty texts, which would end it')
      return Buffer.from([...data, ''].map((text) => `${text}\0`).join(''), 'utf16le')
    case 'REG_DWORD': {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(Number(wholeNumber(data, 0xffff_ffffn) ?? refuse(wrong('a whole number below 2^32'))))
      return bytes
    }
    case 'REG_QWORD': {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(
        wholeNumber(data, 0xffff_ffff_ffff_ffffn) ??
          refuse(wrong('a whole number below 2^64, as text when it is above 2^53')),
      )
      return bytes
    }
    default:
      if (typeof data !== 'string' || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data))
        throw wrong('base64')
      return Buffer.from(data, 'base64')
  }
}

function wholeNumber(data: RegistryData, most: bigint): bigint | undefined {
  const isWhole = typeof data === 'number' ? Number.isSafeInteger(data) : /^\d{1,20}$/.test(String(data))
  if (!isWhole || Array.isArray(data)) return undefined
  const value = BigInt(data)
  return value >= 0n && value <= most ? value : undefined
}

function refuse(error: Error): never {
  throw error
}
