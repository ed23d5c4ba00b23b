import {
  bytesPerReadMax,
  entriesPerReadFirst,
  entriesPerReadMax,
  entriesPerReadMin,
  recordsPerWriteMax,
  recordsQuickMax,
  writeLongMs,
  writeShortMs,
} from '../limits.ts'

/** How many entries to read at once: more while writes are quick and reads full, fewer when writes are slow or reads large. */
export class ReadSize {
  #entries = entriesPerReadFirst

  get entries(): number {
    return this.#entries
  }

  /** Adapts to a write that succeeded. */
  adapt(read: readonly { bytes: Uint8Array }[], records: number, tookMs: number): void {
    const bytes = read.reduce((sum, entry) => sum + entry.bytes.length, 0)
    const isSlow = tookMs > writeLongMs && records > recordsQuickMax
    if (isSlow || bytes > bytesPerReadMax || records > recordsPerWriteMax) {
      this.shrink()
      return
    }
    const isQuick = tookMs < writeShortMs || records <= recordsQuickMax
    const hasRoom = isQuick && bytes * 2 <= bytesPerReadMax && records * 2 <= recordsPerWriteMax
    if (hasRoom && read.length >= this.#entries) this.#entries = Math.min(entriesPerReadMax, this.#entries * 2)
  }

  shrink(): void {
    this.#entries = Math.max(entriesPerReadMin, Math.floor(this.#entries / 2))
  }
}
