import { createHash } from 'node:crypto'

// Made once at random for the scripts and templates of Muster.
const namespace = Buffer.from('6f9f4d2c0b5e4a7f8e1d3c5b7a926480', 'hex')

/** A UUID of version 5, made of the key. */
export function idOfKey(key: string): string {
  const bytes = createHash('sha1').update(namespace).update(key).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
