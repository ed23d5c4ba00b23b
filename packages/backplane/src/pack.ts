import { Packr } from 'msgpackr'

const codec = new Packr({ useRecords: false, variableMapSize: true, int64AsType: 'number' })

/** Encodes plain data as msgpack, for messages between our own processes only. */
export function pack(value: unknown): Buffer {
  return Buffer.from(codec.pack(value))
}

/** Decodes what `pack` encoded; the caller checks its form. */
export function unpack(bytes: Uint8Array): unknown {
  return codec.unpack(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
}
