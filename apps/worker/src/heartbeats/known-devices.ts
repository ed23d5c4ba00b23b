import { deviceIdBytes, deviceIdFromBytes } from '@muster/backplane/device-id.ts'
import { knownDevicesMax } from '../limits.ts'
import type { Decoded } from './decoded.ts'

/** What decides whether a heartbeat of a device is new. */
export interface Known {
  partnerId: string
  agentVersion: string | null
  agentProtocol: number | null
  capabilities: string | null
  bootId: number
  sequence: number
  /** When it was last seen, by the clock of the gateway. */
  seenAtMs: number
  /** What the evaluator of heartbeats keeps about the device; null until it has seen one. */
  memory: object | null
}

/** The distinct devices of one read, in the order of the decoder. */
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
 * The known devices of one shard. Only the owner of the shard changes these properties, and a write fails if another worker
 * wrote the shard meanwhile; all entries are dropped then.
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
