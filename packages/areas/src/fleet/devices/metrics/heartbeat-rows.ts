import { deviceIdBytes } from '@muster/backplane/device-id.ts'
import type { HeartbeatColumns } from '@muster/wire/heartbeat-columns.ts'
import { heartbeatFields } from '@muster/wire/messages/heartbeat.ts'

/*
 * Writes heartbeats in PostgreSQL's binary form of `heartbeat_row[]`: per array `int32 dimensions, flags, element type,
 * length, lower bound`, per row `int32 bytes, int32 columns`, per column `int32 type, int32 bytes (-1 for null), value`.
 */

const uuidType = 2950
const timestampType = 1184
const int8Type = 20
const int4Type = 23
const float4Type = 700

const int4Max = 2 ** 31 - 1
const columnTypes = heartbeatFields.map(({ whole, max }) =>
  whole ? (max <= int4Max ? int4Type : int8Type) : float4Type,
)
const columns = 4 + columnTypes.length
const arrayHeaderBytes = 20
const rowBytesMax = 8 + columns * 8 + deviceIdBytes + 3 * 8 + columnTypes.length * 8
/** PostgreSQL counts microseconds from the start of the year 2000. */
const postgresEpochMs = 946_684_800_000
const twoTo32 = 2 ** 32

/** Heartbeats in the order of the stream, one column per property. */
export interface Heartbeats {
  count: number
  /** Index of the device. */
  device: Uint32Array
  /** Position among all records of the read. */
  order: Uint32Array
  bootId: Float64Array
  sequence: Float64Array
  atMs: Float64Array
  figures: HeartbeatColumns
}

/** The heartbeats of one read. */
export interface HeartbeatRead {
  /** 16 bytes per device. */
  devices: Uint8Array
  heartbeats: Heartbeats
  /** Time of the oldest record of the read. */
  oldestAtMs: number
}

/** Rows of one read, by their indexes. */
export interface ChosenRows {
  decoded: Pick<HeartbeatRead, 'devices' | 'heartbeats'>
  rows: readonly number[]
}

/** The bytes of one parameter `heartbeat_row[]` with all chosen rows in order. */
export function encodeHeartbeatRows(elementType: number, chosen: readonly ChosenRows[]): Buffer {
  const count = chosen.reduce((sum, { rows }) => sum + rows.length, 0)
  const bytes = Buffer.allocUnsafe(arrayHeaderBytes + count * rowBytesMax)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  view.setInt32(0, count === 0 ? 0 : 1)
  view.setInt32(4, 0)
  view.setInt32(8, elementType)
  if (count === 0) return bytes.subarray(0, 12)
  view.setInt32(12, count)
  view.setInt32(16, 1)
  let at = arrayHeaderBytes
  for (const { decoded, rows } of chosen) for (const row of rows) at = writeRow(view, bytes, at, decoded, row)
  return bytes.subarray(0, at)
}

function writeRow(
  view: DataView,
  bytes: Uint8Array,
  start: number,
  { devices, heartbeats }: ChosenRows['decoded'],
  row: number,
): number {
  view.setInt32(start + 4, columns)
  let at = writeUuid(view, bytes, start + 8, devices, (heartbeats.device[row] ?? 0) * deviceIdBytes)
  const micros = Math.round(((heartbeats.atMs[row] ?? 0) - postgresEpochMs) * 1000)
  at = writeInt8(view, at, timestampType, micros)
  at = writeInt8(view, at, int8Type, heartbeats.bootId[row] ?? 0)
  at = writeInt8(view, at, int8Type, heartbeats.sequence[row] ?? 0)
  for (let field = 0; field < columnTypes.length; field++)
    at = writeFigure(view, at, columnTypes[field] ?? int8Type, heartbeats.figures[field]?.[row] ?? Number.NaN)
  view.setInt32(start, at - start - 4)
  return at
}

function writeUuid(view: DataView, bytes: Uint8Array, at: number, devices: Uint8Array, from: number): number {
  view.setInt32(at, uuidType)
  view.setInt32(at + 4, deviceIdBytes)
  for (let index = 0; index < deviceIdBytes; index++) bytes[at + 8 + index] = devices[from + index] ?? 0
  return at + 8 + deviceIdBytes
}

function writeInt8(view: DataView, at: number, type: number, value: number): number {
  const high = Math.floor(value / twoTo32)
  view.setInt32(at, type)
  view.setInt32(at + 4, 8)
  view.setInt32(at + 8, high)
  view.setUint32(at + 12, value - high * twoTo32)
  return at + 16
}

function writeFigure(view: DataView, at: number, type: number, value: number): number {
  if (Number.isNaN(value)) {
    view.setInt32(at, type)
    view.setInt32(at + 4, -1)
    return at + 8
  }
  if (type === int8Type) return writeInt8(view, at, type, value)
  view.setInt32(at, type)
  view.setInt32(at + 4, 4)
  if (type === float4Type) view.setFloat32(at + 8, value)
  else view.setInt32(at + 8, value)
  return at + 12
}
