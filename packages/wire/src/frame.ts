import { Packr } from 'msgpackr'
import { frameBytesMax, sequenceMax } from './limits.ts'
import { skipValue } from './structure.ts'
import { type Fault, WireError } from './wire-error.ts'

export { type Fault, WireError } from './wire-error.ts'

/** The part of a frame that can be read without decoding it. `fault` is set when the rest is not valid. */
export interface Header {
  type: number
  sequence: number
  /** Where the body starts; equals the frame's length when there is none. */
  bodyOffset: number
  fault: Fault | null
}

// Undefined properties are omitted, integers never become BigInt (skipValue rejects those that would lose digits).
const codecOptions = {
  useRecords: false,
  variableMapSize: true,
  int64AsType: 'number',
  skipValues: [undefined],
} as const
const codec = new Packr({ ...codecOptions })

const headerBytesMax = 11

/** An empty header, for callers that read many frames and reuse one object. */
export function emptyHeader(): Header {
  return { type: 0, sequence: 0, bodyOffset: 0, fault: 'malformed' }
}

/** Reads `[type, sequence, …]`. Never throws; writes into `into`, which hot paths reuse. */
export function readHeader(bytes: Uint8Array, into: Header = emptyHeader()): Header {
  return readHeaderAt(bytes, 0, bytes.length, into)
}

/** The same for a frame at `bytes[start, end)`; offsets stay those of `bytes`. */
export function readHeaderAt(bytes: Uint8Array, start: number, end: number, into: Header): Header {
  into.fault = 'malformed'
  const array = bytes[start]
  const type = bytes[start + 1] ?? 0xff
  if (end - start < 3 || (array !== 0x92 && array !== 0x93) || type > 0x7f) return into
  into.type = type
  const bodyOffset = readSequence(bytes, start + 2, end, into)
  // Two elements end after the sequence; three have at least one more byte.
  if (bodyOffset < 0 || (array === 0x92) !== (bodyOffset === end)) return into
  into.bodyOffset = bodyOffset
  into.fault = null
  return into
}

/** Reads an unsigned integer and returns the offset after it, or -1. */
function readSequence(bytes: Uint8Array, at: number, end: number, into: Header): number {
  const token = bytes[at] ?? 0xff
  if (token <= 0x7f) {
    into.sequence = token
    return at + 1
  }
  if (token < 0xcc || token > 0xcf) return -1
  const after = at + 1 + (1 << (token - 0xcc))
  if (after > end) return -1
  let sequence = 0
  for (let index = at + 1; index < after; index++) sequence = sequence * 256 + (bytes[index] ?? 0)
  into.sequence = sequence
  return sequence <= sequenceMax ? after : -1
}

/** Whether exactly one plain value within the limits fills the frame after its header. */
export function isWellFormed(bytes: Uint8Array, header: Header): boolean {
  if (header.bodyOffset === bytes.length) return true
  return skipValue(bytes, header.bodyOffset, bytes.length) === bytes.length
}

/** Writes a header into `target` and returns its length. */
export function writeHeader(target: Uint8Array, type: number, sequence: number, elements: 2 | 3): number {
  target[0] = 0x90 | elements
  target[1] = type
  if (sequence <= 0x7f) {
    target[2] = sequence
    return 3
  }
  const width = sequence <= 0xff ? 1 : sequence <= 0xffff ? 2 : sequence <= 0xffffffff ? 4 : 8
  target[2] = width === 1 ? 0xcc : width === 2 ? 0xcd : width === 4 ? 0xce : 0xcf
  let rest = sequence
  for (let index = width - 1; index >= 0; index--) {
    target[3 + index] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return 3 + width
}

/** Encodes a frame; without a body when `body` is undefined. */
export function encodeFrame(type: number, sequence: number, body?: unknown): Uint8Array {
  if (body === undefined) {
    const frame = new Uint8Array(headerBytesMax)
    return frame.subarray(0, writeHeader(frame, type, sequence, 2))
  }
  const packed = codec.pack(body)
  const frame = new Uint8Array(headerBytesMax + packed.length)
  const offset = writeHeader(frame, type, sequence, 3)
  frame.set(packed, offset)
  if (offset + packed.length > frameBytesMax)
    throw new WireError('tooLarge', 'The frame exceeds the maximum frame size')
  return frame.subarray(0, offset + packed.length)
}

/** The body as plain data; undefined when there is none. Throws WireError for anything malformed. */
export function decodeBody(bytes: Uint8Array, header: Header): unknown {
  if (header.fault !== null) throw new WireError(header.fault, 'The frame header is invalid')
  if (bytes.length > frameBytesMax) throw new WireError('tooLarge', 'The frame exceeds the maximum frame size')
  if (!isWellFormed(bytes, header)) throw new WireError('malformed', 'The body is not one plain msgpack value')
  if (header.bodyOffset === bytes.length) return undefined
  return storable(
    codec.unpack(Buffer.from(bytes.buffer, bytes.byteOffset + header.bodyOffset, bytes.length - header.bodyOffset)),
  )
}

/** Replaces what databases and JSON readers reject in texts: NUL and unpaired surrogates. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = storable(value[index])
    return value
  }
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
  const cleaned: Record<string, unknown> = {}
  for (const [key, entry] of Object.entries(value)) cleaned[storableText(key)] = storable(entry)
  return cleaned
}

function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '\uFFFD') : whole
}
