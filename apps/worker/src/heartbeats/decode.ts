import type { Heartbeats } from '@muster/areas/fleet/devices/index.ts'
import { type BatchRecord, readBatch, recordKinds } from '@muster/backplane/batch.ts'
import { deviceIdBytes } from '@muster/backplane/device-id.ts'
import { unpack } from '@muster/backplane/pack.ts'
import { createHeartbeatColumns, decodeHeartbeatInto } from '@muster/wire/heartbeat-columns.ts'
import { heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { decodeUp, isStored } from '@muster/wire/up.ts'
import { clockAheadMaxMs, clockBehindMaxMs } from '../limits.ts'
import { ConnectedBody, type Decoded, DisconnectedBody, type OtherRecord, RefusedBody, SentBody } from './decoded.ts'

const batchHeaderBytes = 4

interface Reading {
  decoded: Decoded
  deviceIndex: Map<string, number>
  earliestMs: number
  latestMs: number
}

/** Decodes the entries of one read. Never throws: invalid records and entries are listed in the result. */
export function decodeEntries(entries: readonly Uint8Array[], nowMs: number = Date.now()): Decoded {
  const broken: Decoded['broken'] = []
  const sound: { entry: number; bytes: Uint8Array; node: string }[] = []
  let heartbeats = 0
  let records = 0
  for (const [entry, bytes] of entries.entries()) {
    let found = 0
    let all = 0
    try {
      const node = readBatch(bytes, (record) => {
        all++
        if (record.kind === heartbeat.type) found++
      })
      sound.push({ entry, bytes, node })
      heartbeats += found
      records += all
    } catch (error) {
      broken.push({ entry, reason: reasonOf(error) })
    }
  }
  const reading: Reading = {
    decoded: emptyDecoded(records, heartbeats, broken),
    deviceIndex: new Map(),
    earliestMs: nowMs - clockBehindMaxMs,
    latestMs: nowMs + clockAheadMaxMs,
  }
  let order = 0
  for (const { entry, bytes, node } of sound)
    readBatch(bytes, (record) => decodeRecord(reading, entry, node, bytes, record, order++))
  const { decoded, deviceIndex } = reading
  decoded.deviceCount = deviceIndex.size
  decoded.devices = decoded.devices.slice(0, deviceIndex.size * deviceIdBytes)
  return decoded
}

function emptyDecoded(records: number, heartbeats: number, broken: Decoded['broken']): Decoded {
  return {
    records,
    devices: new Uint8Array(records * deviceIdBytes),
    deviceCount: 0,
    heartbeats: {
      count: 0,
      device: new Uint32Array(heartbeats),
      order: new Uint32Array(heartbeats),
      bootId: new Float64Array(heartbeats),
      sequence: new Float64Array(heartbeats),
      atMs: new Float64Array(heartbeats),
      figures: createHeartbeatColumns(heartbeats),
    },
    others: [],
    invalid: [],
    broken,
    oldestAtMs: Number.POSITIVE_INFINITY,
  }
}

function decodeRecord(
  reading: Reading,
  entry: number,
  node: string,
  bytes: Uint8Array,
  record: BatchRecord,
  order: number,
): void {
  const { decoded } = reading
  const atMs = record.receivedAtMs
  if (!(atMs >= reading.earliestMs && atMs <= reading.latestMs)) {
    decoded.invalid.push({ entry, reason: `received at ${atMs}`, batch: batchOf(bytes, record) })
    return
  }
  if (atMs < decoded.oldestAtMs) decoded.oldestAtMs = atMs
  const device = deviceOf(reading, bytes, record.deviceOffset)
  if (record.kind === heartbeat.type) {
    const fault = addHeartbeat(decoded.heartbeats, device, bytes, record, order)
    if (fault !== null) decoded.invalid.push({ entry, reason: `heartbeat: ${fault}`, batch: batchOf(bytes, record) })
    return
  }
  try {
    const { bootId, sequence } = record
    decoded.others.push({ ...readOther(bytes, record, node), device, order, bootId, sequence, atMs })
  } catch (error) {
    decoded.invalid.push({ entry, reason: reasonOf(error), batch: batchOf(bytes, record) })
  }
}

function deviceOf({ decoded, deviceIndex }: Reading, bytes: Uint8Array, offset: number): number {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset + offset, deviceIdBytes).toString('latin1')
  const known = deviceIndex.get(key)
  if (known !== undefined) return known
  const index = deviceIndex.size
  deviceIndex.set(key, index)
  decoded.devices.set(bytes.subarray(offset, offset + deviceIdBytes), index * deviceIdBytes)
  return index
}

function addHeartbeat(into: Heartbeats, device: number, bytes: Uint8Array, record: BatchRecord, order: number) {
  const index = into.count
  const fault = decodeHeartbeatInto(into.figures, index, bytes, record.offset, record.end)
  if (fault !== null) return fault
  into.device[index] = device
  into.order[index] = order
  into.bootId[index] = record.bootId
  into.sequence[index] = record.sequence
  into.atMs[index] = record.receivedAtMs
  into.count = index + 1
  return null
}

type Unplaced<Record> = Record extends OtherRecord
  ? Omit<Record, 'device' | 'order' | 'bootId' | 'sequence' | 'atMs'>
  : never

function readOther(bytes: Uint8Array, record: BatchRecord, node: string): Unplaced<OtherRecord> {
  const payload = bytes.subarray(record.offset, record.end)
  switch (record.kind) {
    case recordKinds.connected:
      return { name: 'connected', node, body: ConnectedBody.parse(unpack(payload)) }
    case recordKinds.disconnected:
      return { name: 'disconnected', node, body: DisconnectedBody.parse(unpack(payload)) }
    case recordKinds.sent:
      return { name: 'sent', body: SentBody.parse(unpack(payload)) }
    case recordKinds.refused:
      return { name: 'refused', body: RefusedBody.parse(unpack(payload)) }
  }
  const message = decodeUp(payload)
  if (!isStored(message)) throw new Error(`A ${message.name} is not stored`)
  return message
}

/** The record as a batch of one, with the node of its batch. */
function batchOf(bytes: Uint8Array, record: BatchRecord): Uint8Array {
  const nodeEnd = 2 + (bytes[1] ?? 0)
  const start = record.deviceOffset - 1
  const batch = new Uint8Array(batchHeaderBytes + (nodeEnd - 2) + (record.end - start))
  batch.set(bytes.subarray(0, nodeEnd))
  batch[nodeEnd + 1] = 1
  batch.set(bytes.subarray(start, record.end), nodeEnd + 2)
  return batch
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500)
}
