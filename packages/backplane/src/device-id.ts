const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const dashBefore = new Set([4, 6, 8, 10])

export const deviceIdBytes = 16

/** The sixteen bytes of a UUID. */
export function deviceIdToBytes(deviceId: string): Uint8Array {
  const bytes = Uint8Array.from(Buffer.from(deviceId.replaceAll('-', ''), 'hex'))
  if (bytes.length !== deviceIdBytes) throw new RangeError(`Not a UUID: ${deviceId.slice(0, 64)}`)
  return bytes
}

const digitOffsets = Uint8Array.from([0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34])
const digitValues = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0)

/** Writes the sixteen bytes of a valid UUID text, for hot paths. */
export function writeDeviceId(into: Uint8Array, deviceId: string): void {
  for (let index = 0; index < deviceIdBytes; index++) {
    const at = digitOffsets[index] ?? 0
    const high = digitValues[deviceId.charCodeAt(at)] ?? 0
    into[index] = (high << 4) | (digitValues[deviceId.charCodeAt(at + 1)] ?? 0)
  }
}

/** The UUID text of sixteen bytes. */
export function deviceIdFromBytes(bytes: Uint8Array, offset = 0): string {
  let text = ''
  for (let index = 0; index < deviceIdBytes; index++) {
    if (dashBefore.has(index)) text += '-'
    text += hex[bytes[offset + index] ?? 0]
  }
  return text
}

/** The shard of a device: a fixed hash (FNV-1a) of its sixteen bytes. */
export function shardOfBytes(bytes: Uint8Array, shards: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < deviceIdBytes; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  return (hash >>> 0) % shards
}

const scratch = new Uint8Array(deviceIdBytes)

/** The shard of a device by its UUID. The caller ensures that it is one. */
export function shardOf(deviceId: string, shards: number): number {
  if (deviceId.length !== 36) throw new RangeError(`Not a UUID: ${deviceId.slice(0, 64)}`)
  writeDeviceId(scratch, deviceId)
  return shardOfBytes(scratch, shards)
}
