import { emptyHeader, type Fault, readHeaderAt } from './frame.ts'
import { heartbeatFrameBytesMax } from './limits.ts'
import { heartbeat, heartbeatFields, heartbeatFieldsMax } from './messages/heartbeat.ts'

/*
 * The message of messages/heartbeat.ts, decoded without a schema: directly from a batch of raw frames into one
 * column per figure. A property test keeps both decoders equivalent.
 */

/** One column per figure in the order of `heartbeatFields`; NaN stands for nil. */
export type HeartbeatColumns = readonly Float64Array[]

const fieldCount = heartbeatFields.length
const largest = Float64Array.from(heartbeatFields, (field) => field.max)
const mustBeWhole = Uint8Array.from(heartbeatFields, (field) => (field.whole ? 1 : 0))
const notANumber = -1

// Decoding is synchronous and a thread decodes one frame at a time, so the cursor is module state, not an object.
const header = emptyHeader()
let at = 0
let limit = 0
let viewed: Uint8Array = new Uint8Array(0)
let view: DataView = new DataView(viewed.buffer)

/** Columns for `capacity` heartbeats. */
export function createHeartbeatColumns(capacity: number): HeartbeatColumns {
  return heartbeatFields.map(() => new Float64Array(capacity))
}

/** Decodes the heartbeat frame in `bytes[offset, end)` into row `index`; returns its fault, or null. */
export function decodeHeartbeatInto(
  columns: HeartbeatColumns,
  index: number,
  bytes: Uint8Array,
  offset: number,
  end: number,
): Fault | null {
  if (end - offset > heartbeatFrameBytesMax) return 'tooLarge'
  readHeaderAt(bytes, offset, end, header)
  if (header.fault !== null) return header.fault
  if (header.type !== heartbeat.type) return 'unknownType'
  if (header.sequence === 0 || header.bodyOffset === end) return 'malformed'
  if (viewed !== bytes) {
    viewed = bytes
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  at = header.bodyOffset + 1
  limit = end
  const figures = (bytes[header.bodyOffset] ?? 0) - 0x90
  return decodeFigures(columns, index, bytes, figures)
}

function decodeFigures(columns: HeartbeatColumns, index: number, bytes: Uint8Array, figures: number): Fault | null {
  if (figures < fieldCount || figures > heartbeatFieldsMax) return 'malformed'
  for (let field = 0; field < figures; field++) {
    const value = readFigure(bytes)
    if (value === notANumber) return 'malformed'
    const column = columns[field]
    if (column === undefined) continue
    // Both comparisons are false for NaN, which stands for nil.
    if (value > (largest[field] ?? 0) || (mustBeWhole[field] === 1 && value > Math.floor(value))) return 'malformed'
    column[index] = value
  }
  return at === limit ? null : 'malformed'
}

/** The number at the cursor, NaN for nil, -1 for anything else; moves the cursor behind it. */
function readFigure(bytes: Uint8Array): number {
  if (at >= limit) return notANumber
  const token = bytes[at] ?? 0xc1
  if (token <= 0x7f) {
    at++
    return token
  }
  if (token === 0xcb || token === 0xca) return readFloat(token === 0xcb ? 8 : 4)
  if (token >= 0xcc && token <= 0xcf) return readUnsigned(bytes, 1 << (token - 0xcc))
  if (token === 0xc0) {
    at++
    return Number.NaN
  }
  // A sender may encode a small number as a signed type.
  if (token >= 0xd0 && token <= 0xd3 && (bytes[at + 1] ?? 0x80) < 0x80) return readUnsigned(bytes, 1 << (token - 0xd0))
  return notANumber
}

function readUnsigned(bytes: Uint8Array, width: number): number {
  const end = at + 1 + width
  if (end > limit) return notANumber
  let value = 0
  for (let index = at + 1; index < end; index++) value = value * 256 + (bytes[index] ?? 0)
  at = end
  return value <= Number.MAX_SAFE_INTEGER ? value : notANumber
}

function readFloat(width: 4 | 8): number {
  const start = at + 1
  if (start + width > limit) return notANumber
  at = start + width
  const value = width === 8 ? view.getFloat64(start) : view.getFloat32(start)
  return value >= 0 && value < Number.POSITIVE_INFINITY ? value : notANumber
}
