import { deviceIdBytes } from './device-id.ts'

/*
 * One stream entry: `u8 version, u8 length of node id, node id, u16 records`, then per record
 * `u8 kind, 16 B device, u48 boot, u48 sequence, f64 received at (ms), u32 length, payload`. Numbers are big-endian.
 */

const batchVersion = 1
const recordHeaderBytes = 1 + deviceIdBytes + 6 + 6 + 8 + 4
const recordsMax = 65_535

/** Kinds of records other than frames; a frame's kind is its type. */
export const recordKinds = {
  /** Payload msgpack `Connected`. */
  connected: 1,
  /** Payload msgpack `Disconnected`. */
  disconnected: 2,
  /** Payload msgpack `{ commandId }`: written to the socket. */
  sent: 3,
  /** Payload msgpack `{ commandId, reason }`: the device is not connected here. */
  refused: 4,
} as const

export interface Connected {
  agentVersion: string
  role: 'agent' | 'watchdog'
  gen: number
  certificateExpiresAt: number
  remoteAddress: string
  /** The protocol version of the agent. */
  protocol: number
  /** What the agent can do; absent when it did not say. */
  capabilities?: string | undefined
  /** Revision of the newest assignment that the agent follows; absent if it takes none. */
  assignmentRevision?: number | undefined
  /** To which secrets are sealed, as the agent stated it; absent when a gateway reports the connection again. */
  sealingKey?: string | undefined
}

export interface Disconnected {
  role: 'agent' | 'watchdog'
  code: number
  /** Set when the server closed it during a drain: the time within which the agent should reconnect. */
  returnsWithinMs?: number
}

export interface Sent {
  commandId: string
}

export interface Refused {
  commandId: string
  reason: string
}

/** One record of a batch as a window into its bytes. The object is reused for the next record. */
export interface BatchRecord {
  kind: number
  deviceOffset: number
  bootId: number
  sequence: number
  receivedAtMs: number
  offset: number
  end: number
}

export class BatchError extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'BatchError'
  }
}

/** Collects records in one buffer that is reused for every batch. */
export class BatchWriter {
  readonly #bytesMax: number
  readonly #headerBytes: number
  #buffer: Buffer
  #length: number
  #records = 0

  constructor(nodeId: string, bytesMax: number) {
    const node = Buffer.from(nodeId)
    if (node.length === 0 || node.length > 255) throw new RangeError('A node ID must be 1 to 255 bytes long')
    this.#bytesMax = bytesMax
    this.#headerBytes = 2 + node.length + 2
    this.#buffer = Buffer.allocUnsafe(Math.min(bytesMax, 16 * 1024))
    this.#buffer[0] = batchVersion
    this.#buffer[1] = node.length
    node.copy(this.#buffer, 2)
    this.#length = this.#headerBytes
  }

  get records(): number {
    return this.#records
  }

  /** Bytes that a flush would return now. */
  get bytes(): number {
    return this.#length
  }

  /** Adds a record; false when it does not fit and the batch has to be flushed first. */
  append(
    kind: number,
    device: Uint8Array,
    bootId: number,
    sequence: number,
    atMs: number,
    payload: Uint8Array,
  ): boolean {
    const needed = this.#length + recordHeaderBytes + payload.length
    if (this.#records > 0 && (needed > this.#bytesMax || this.#records === recordsMax)) return false
    if (needed > this.#buffer.length) this.#grow(needed)
    const buffer = this.#buffer
    let at = this.#length
    buffer[at] = kind
    buffer.set(device, at + 1)
    at += 1 + deviceIdBytes
    buffer.writeUIntBE(bootId, at, 6)
    buffer.writeUIntBE(sequence, at + 6, 6)
    buffer.writeDoubleBE(atMs, at + 12)
    buffer.writeUInt32BE(payload.length, at + 20)
    buffer.set(payload, at + 24)
    this.#length = needed
    this.#records++
    return true
  }

  /** The batch as a copy of its bytes; the writer is empty afterward. */
  flush(): Buffer {
    this.#buffer.writeUInt16BE(this.#records, this.#headerBytes - 2)
    const batch = Buffer.allocUnsafeSlow(this.#length)
    this.#buffer.copy(batch, 0, 0, this.#length)
    this.#length = this.#headerBytes
    this.#records = 0
    return batch
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

/** Visits every record and returns the node that wrote the batch. Throws BatchError when the bytes are not a batch. */
export function readBatch(bytes: Uint8Array, visit: (record: BatchRecord) => void): string {
  const batch = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const nodeEnd = 2 + (batch[1] ?? 0)
  if (batch[0] !== batchVersion) throw new BatchError(`Unknown batch version ${batch[0]}`)
  if (batch.length < nodeEnd + 2) throw new BatchError('The batch is cut off in its header')
  const records = batch.readUInt16BE(nodeEnd)
  const record: BatchRecord = { kind: 0, deviceOffset: 0, bootId: 0, sequence: 0, receivedAtMs: 0, offset: 0, end: 0 }
  let at = nodeEnd + 2
  for (let index = 0; index < records; index++) {
    readRecord(batch, at, record)
    at = record.end
    visit(record)
  }
  if (at !== batch.length) throw new BatchError('The batch has bytes after its last record')
  return batch.toString('utf8', 2, nodeEnd)
}

function readRecord(batch: Buffer, at: number, into: BatchRecord): void {
  if (at + recordHeaderBytes > batch.length) throw new BatchError('The batch is cut off in a record')
  into.kind = batch[at] ?? 0
  into.deviceOffset = at + 1
  const numbers = at + 1 + deviceIdBytes
  into.bootId = batch.readUIntBE(numbers, 6)
  into.sequence = batch.readUIntBE(numbers + 6, 6)
  into.receivedAtMs = batch.readDoubleBE(numbers + 12)
  into.offset = numbers + 24
  into.end = into.offset + batch.readUInt32BE(numbers + 20)
  if (into.end > batch.length) throw new BatchError('A record claims more bytes than the batch has')
}
