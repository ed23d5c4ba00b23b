import { deviceIdBytes, deviceIdFromBytes } from '@muster/backplane/device-id.ts'
import { knownDevicesMax } from '../limits.ts'
import type { Decoded } from './decoded.ts'

/** What the fold has to know of a device before it can tell a new heartbeat from an old one. */
export interface Known {
  partnerId: string
  agentVersion: string | null
  agentProtocol: number | null
  bootId: number
  sequence: number
  /** When it was last heard of, by the receiving server's clock. */
  seenAtMs: number
}

/** The distinct devices of one read, in the order of the decoder's indexes. */
export class DeviceTable {
  readonly #bytes: Uint8Array
  readonly keys: string[]
  readonly #ids: (string | undefined)[] = []

  constructor({ devices, deviceCount }: Pick<Decoded, 'devices' | 'deviceCount'>) {
    this.#bytes = devices
    const buffer = Buffer.from(devices.buffer, devices.byteOffset, devices.byteLength)
    this.keys = Array.from({ length: deviceCount }, (_, index) =>
      buffer.toString('latin1', index * deviceIdBytes, (index + 1) * deviceIdBytes),
    )
  }

  get size(): number {
    return this.keys.length
  }

  /** The device's UUID. */
  id(index: number): string {
    this.#ids[index] ??= deviceIdFromBytes(this.#bytes, index * deviceIdBytes)
    return this.#ids[index]
  }
}

/**
 * What one shard's owner knows of its devices. It may be trusted because only the owner of a shard changes these
 * properties, and a write fails when another has written the shard meanwhile; then everything here is forgotten.
 */
export class KnownDevices {
  readonly #devices = new Map<string, Known>()
  readonly #devicesMax: number

  constructor(shards = 1) {
    this.#devicesMax = Math.ceil(knownDevicesMax / shards)
  }

  find(key: string): Known | undefined {
    return this.#devices.get(key)
  }

  set(key: string, known: Known): void {
    if (this.#devices.size >= this.#devicesMax && !this.#devices.has(key)) this.#devices.clear()
    this.#devices.set(key, known)
  }

  delete(key: string): void {
    this.#devices.delete(key)
  }

  clear(): void {
    this.#devices.clear()
  }
}
