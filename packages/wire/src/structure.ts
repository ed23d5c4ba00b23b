import { depthMax, keyBytesMax, mapKeysMax, valuesMax } from './limits.ts'

/*
 * Walks one msgpack value without building it, so that nothing is allocated for a length that a frame merely claims.
 * Valid values are plain data: finite numbers, text keys, no extension types, bytes only directly in the body.
 */

const invalid = -1

interface Walk {
  end: number
  values: number
}

const walk: Walk = { end: 0, values: 0 }

/** Offset after the value that starts at `start`, or -1 when it is not complete, plain and within the limits. */
export function skipValue(bytes: Uint8Array, start: number, end: number): number {
  walk.end = end
  walk.values = 0
  return skip(bytes, start, 0)
}

function skip(bytes: Uint8Array, at: number, depth: number): number {
  if (at >= walk.end || ++walk.values > valuesMax) return invalid
  const token = bytes[at] ?? 0xc1
  if (token < 0x80 || token >= 0xe0) return at + 1
  if (token < 0x90) return skipMap(bytes, at + 1, token & 0x0f, depth + 1)
  if (token < 0xa0) return skipArray(bytes, at + 1, token & 0x0f, depth + 1)
  if (token < 0xc0) return within(at + 1 + (token & 0x1f))
  return skipLong(bytes, at, token, depth)
}

function skipLong(bytes: Uint8Array, at: number, token: number, depth: number): number {
  switch (token) {
    case 0xc0: // nil
    case 0xc2: // false
    case 0xc3: // true
      return at + 1
    case 0xc4: // bin 8
    case 0xc5: // bin 16
    case 0xc6: // bin 32
      return depth === 1 ? skipSized(bytes, at, 1 << (token - 0xc4)) : invalid
    case 0xca: // float 32
      return isFinite32(bytes, at + 1) ? within(at + 5) : invalid
    case 0xcb: // float 64
      return isFinite64(bytes, at + 1) ? within(at + 9) : invalid
    case 0xcc: // uint 8
    case 0xd0: // int 8
      return within(at + 2)
    case 0xcd: // uint 16
    case 0xd1: // int 16
      return within(at + 3)
    case 0xce: // uint 32
    case 0xd2: // int 32
      return within(at + 5)
    case 0xcf: // uint 64
    case 0xd3: // int 64
      return isSafe64(bytes, at + 1, token === 0xd3) ? within(at + 9) : invalid
    case 0xd9: // str 8
    case 0xda: // str 16
    case 0xdb: // str 32
      return skipSized(bytes, at, 1 << (token - 0xd9))
    case 0xdc: // array 16
      return skipArray(bytes, at + 3, readSize(bytes, at + 1, 2), depth + 1)
    case 0xdd: // array 32
      return skipArray(bytes, at + 5, readSize(bytes, at + 1, 4), depth + 1)
    case 0xde: // map 16
      return skipMap(bytes, at + 3, readSize(bytes, at + 1, 2), depth + 1)
    case 0xdf: // map 32
      return skipMap(bytes, at + 5, readSize(bytes, at + 1, 4), depth + 1)
    default: // extension types and the unused token
      return invalid
  }
}

function within(offset: number): number {
  return offset <= walk.end ? offset : invalid
}

/** A size field of 1, 2 or 4 bytes, or -1 when it is cut off. */
function readSize(bytes: Uint8Array, at: number, width: number): number {
  if (at + width > walk.end) return invalid
  let size = 0
  for (let index = 0; index < width; index++) size = size * 256 + (bytes[at + index] ?? 0)
  return size
}

function skipSized(bytes: Uint8Array, at: number, width: number): number {
  const size = readSize(bytes, at + 1, width)
  return size < 0 ? invalid : within(at + 1 + width + size)
}

function skipArray(bytes: Uint8Array, at: number, count: number, depth: number): number {
  // Every element takes at least one byte, so a count beyond the remaining bytes is invalid.
  if (count < 0 || depth > depthMax || count > walk.end - at) return invalid
  let offset = at
  for (let index = 0; index < count; index++) {
    offset = skip(bytes, offset, depth)
    if (offset < 0) return invalid
  }
  return offset
}

function skipMap(bytes: Uint8Array, at: number, count: number, depth: number): number {
  if (count < 0 || depth > depthMax || count > mapKeysMax || count * 2 > walk.end - at) return invalid
  let offset = at
  for (let index = 0; index < count; index++) {
    offset = skipKey(bytes, offset)
    if (offset < 0) return invalid
    offset = skip(bytes, offset, depth)
    if (offset < 0) return invalid
  }
  return offset
}

function skipKey(bytes: Uint8Array, at: number): number {
  if (at >= walk.end) return invalid
  const token = bytes[at] ?? 0xc1
  const short = token >= 0xa0 && token < 0xc0
  if (!short && token !== 0xd9) return invalid
  const size = short ? token & 0x1f : readSize(bytes, at + 1, 1)
  const start = at + (short ? 1 : 2)
  const end = within(start + size)
  if (size < 0 || size > keyBytesMax || end < 0) return invalid
  for (let index = start; index < end; index++) if ((bytes[index] ?? 0) < 0x20) return invalid
  return isPrototypeKey(bytes, start, size) ? invalid : end
}

const prototypeKeys = ['__proto__', 'constructor', 'prototype'].map((key) => Buffer.from(key))

function isPrototypeKey(bytes: Uint8Array, start: number, size: number): boolean {
  if (size !== 9 && size !== 11) return false
  return prototypeKeys.some((key) => key.length === size && key.every((byte, index) => bytes[start + index] === byte))
}

function isFinite32(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0x7f) & 0x7f) !== 0x7f || ((bytes[at + 1] ?? 0x80) & 0x80) === 0
}

function isFinite64(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0x7f) & 0x7f) !== 0x7f || ((bytes[at + 1] ?? 0xf0) & 0xf0) !== 0xf0
}

/** Whether a double represents a 64-bit integer exactly. */
function isSafe64(bytes: Uint8Array, at: number, signed: boolean): boolean {
  const high =
    ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
  return signed ? high >= -0x200000 && high < 0x200000 : high >= 0 && high < 0x200000
}
