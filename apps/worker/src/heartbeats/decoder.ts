import { Piscina } from 'piscina'
import { decodeInThreadBytesMin, decodeQueueMax, decodeThreadsMax } from '../limits.ts'
import { decodeEntries } from './decode.ts'
import type { Decoded } from './decoded.ts'

/** Decodes reads, large ones in threads. */
export interface Decoder {
  decode(entries: readonly Uint8Array[]): Promise<Decoded>
  close(): Promise<void>
}

export function createDecoder(): Decoder {
  const pool = new Piscina<Uint8Array[], Decoded>({
    filename: new URL('./decode.worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: decodeThreadsMax,
    maxQueue: decodeQueueMax,
    idleTimeout: 30_000,
  })
  return {
    async decode(entries) {
      const bytes = entries.reduce((sum, entry) => sum + entry.length, 0)
      if (bytes < decodeInThreadBytesMin) return decodeEntries(entries)
      // The connection shares its memory between replies, so the bytes are copied once and then transferred.
      const moved = entries.map((entry) => Uint8Array.from(entry))
      return pool.run(moved, { transferList: moved.map((entry) => entry.buffer) })
    },
    close: () => pool.destroy(),
  }
}
