/** The memory layout of a value of the Win32 API, declared once and read from a buffer. 64-bit systems only. */
export interface Layout<T> {
  readonly size: number
  readonly alignment: number
  read(from: Buffer, at?: number): T
}

const scalar = <T>(size: number, read: (from: Buffer, at: number) => T): Layout<T> => ({
  size,
  alignment: size,
  read: (from, at = 0) => read(from, at),
})

export const u8 = scalar(1, (from, at) => from.readUInt8(at))
export const u16 = scalar(2, (from, at) => from.readUInt16LE(at))
export const u32 = scalar(4, (from, at) => from.readUInt32LE(at))
export const i32 = scalar(4, (from, at) => from.readInt32LE(at))
export const u64 = scalar(8, (from, at) => from.readBigUInt64LE(at))
/** An address, or a handle. */
export const pointer: Layout<bigint> = { ...u64 }

/** A 64-bit number whose real values are far below 2^53. */
export const size64 = scalar(8, (from, at) => Number(from.readBigUInt64LE(at)))

/** A FILETIME in milliseconds since 1970; 0 for none. It is two 32-bit numbers, so it needs no more alignment than those. */
export const fileTime: Layout<number> = {
  size: 8,
  alignment: 4,
  read: (from, at = 0) => msOfFileTime(from.readBigUInt64LE(at)),
}

/** Milliseconds since 1970 of a count of 100 ns since 1601; 0 for none. */
export function msOfFileTime(count: bigint): number {
  return count === 0n ? 0 : Number(count / 10_000n) - 11_644_473_600_000
}

/** A field of wide characters that a NUL ends, unless they fill it. */
export const wideText = (chars: number): Layout<string> => ({
  size: chars * 2,
  alignment: 2,
  read: (from, at = 0) => textAt(from, at, chars),
})

export const bytes = (length: number): Layout<Buffer> => ({
  size: length,
  alignment: 1,
  read: (from, at = 0) => from.subarray(at, at + length),
})

type Members = Record<string, Layout<unknown>>
type Struct<M extends Members> = { readonly [Name in keyof M]: M[Name] extends Layout<infer T> ? T : never }

export interface StructLayout<M extends Members> extends Layout<Struct<M>> {
  offsetOf(member: keyof M & string): number
}

/** A structure whose members are placed as a C compiler does. */
export function struct<M extends Members>(members: M): StructLayout<M> {
  const offsets = new Map<string, number>()
  let end = 0
  let alignment = 1
  for (const [name, member] of Object.entries(members)) {
    end = Math.ceil(end / member.alignment) * member.alignment
    offsets.set(name, end)
    end += member.size
    alignment = Math.max(alignment, member.alignment)
  }
  const offsetOf = (member: string) => offsets.get(member) ?? 0
  const read = (from: Buffer, at = 0) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member.read(from, at + offsetOf(name))]))
  // Each member is read by its own layout, which the type above names.
  return {
    size: Math.ceil(end / alignment) * alignment,
    alignment,
    offsetOf,
    read: (from, at) => read(from, at) as Struct<M>,
  }
}

/** The text at a place in a buffer, up to a NUL or a number of characters. */
export function textAt(from: Buffer, at: number, charsMax = Number.POSITIVE_INFINITY): string {
  const most = Math.min(from.length - 1, at + charsMax * 2 - 1)
  let end = at
  while (end < most && from.readUInt16LE(end) !== 0) end += 2
  return from.toString('utf16le', at, end)
}

/** A text as the API takes it: wide characters and a final NUL. */
export const wide = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le')
