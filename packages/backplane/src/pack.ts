import { Packr } from 'msgpackr'

const codec = new Packr({ useRecords: false, variableMapSize: true, int64AsType: 'number' })

/** msgpack of plain data that only our own processes exchange. */
export function pack(value: unknown): Buffer {
  return Buffer.from(codec.pack(value))
}

/** Reads what `pack` wrote; the caller checks its form. */
export function unpack(bytes: Uint8Array): unknown {
  return codec.unpack(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
}
