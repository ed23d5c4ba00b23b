import { writeHeader } from './frame.ts'
import { type Heartbeat, heartbeat, heartbeatFields, type Sample } from './messages/heartbeat.ts'

// Header 11, array 1, ten figures of at most 9 bytes.
const bytesMax = 102
const view = new DataView(new ArrayBuffer(bytesMax))
const target = new Uint8Array(view.buffer)

/** The figures of a sample in wire order, clamped to their limits. */
export function heartbeatOf(sample: Sample): Heartbeat {
  const figure = (index: number): number | null => {
    const field = heartbeatFields[index]
    const value = field === undefined ? null : sample[field.name]
    if (field === undefined || value === null || !Number.isFinite(value)) return null
    const limited = Math.min(Math.max(value, 0), field.max)
    return field.whole ? Math.round(limited) : limited
  }
  return [figure(0), figure(1), figure(2), figure(3), figure(4), figure(5), figure(6), figure(7), figure(8), figure(9)]
}

/** Encodes a heartbeat frame without the general encoder. */
export function encodeHeartbeat(sequence: number, figures: Heartbeat): Uint8Array {
  let offset = writeHeader(target, heartbeat.type, sequence, 3)
  target[offset++] = 0x90 | heartbeatFields.length
  for (let index = 0; index < heartbeatFields.length; index++) offset = writeFigure(offset, figures[index] ?? null)
  // A slice of Node's pool: a separate allocation costs more than the encoding.
  const frame = Buffer.allocUnsafe(offset)
  frame.set(target.subarray(0, offset))
  return frame
}

function writeFigure(offset: number, value: number | null): number {
  if (value === null) {
    target[offset] = 0xc0
    return offset + 1
  }
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    target[offset] = 0xcb
    view.setFloat64(offset + 1, value)
    return offset + 9
  }
  return writeUnsigned(offset, value)
}

function writeUnsigned(offset: number, value: number): number {
  if (value <= 0x7f) {
    target[offset] = value
    return offset + 1
  }
  if (value <= 0xff) {
    target[offset] = 0xcc
    target[offset + 1] = value
    return offset + 2
  }
  if (value <= 0xffff) {
    target[offset] = 0xcd
    view.setUint16(offset + 1, value)
    return offset + 3
  }
  target[offset] = 0xce
  view.setUint32(offset + 1, value)
  return offset + 5
}
