import { StringDecoder } from 'node:string_decoder'
import type { OutputDecoder } from '../platform/platform.ts'
import { SecretMask } from './secret-mask.ts'

/** The first part of an output stream as text without secrets, and its total size. */
export class OutputCapture {
  readonly #bytesMax: number
  readonly #decoder: OutputDecoder
  readonly #mask: SecretMask
  #text = ''
  #bytes = 0
  #shown = 0
  #pending = ''
  #totalBytes = 0
  #truncated = false

  constructor(
    bytesMax: number,
    decoder: OutputDecoder = new StringDecoder('utf8'),
    mask: SecretMask = new SecretMask([]),
  ) {
    this.#bytesMax = bytesMax
    this.#mask = mask
    this.#decoder = decoder
  }

  get text(): string {
    return this.#text
  }

  get totalBytes(): number {
    return this.#totalBytes
  }

  get truncated(): boolean {
    return this.#truncated
  }

  write(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length
    if (!this.#truncated) this.#keep(this.#mask.write(this.#decoder.write(Buffer.from(chunk))))
  }

  /** A character that was cut off at the end becomes the replacement character. */
  end(): void {
    if (!this.#truncated) this.#keep(this.#mask.write(this.#decoder.end()) + this.#mask.end())
  }

  /** The next chunk that was not taken yet. */
  take(bytesMax: number): { output: string; offset: number } | undefined {
    if (this.#pending === '') return undefined
    const output = cutToBytes(this.#pending, bytesMax)
    this.#pending = this.#pending.slice(output.length)
    const offset = this.#shown
    this.#shown += Buffer.byteLength(output)
    return { output, offset }
  }

  // Databases reject NUL in a text.
  #keep(decoded: string): void {
    const whole = decoded.replaceAll('\0', '\uFFFD')
    const kept = cutToBytes(whole, this.#bytesMax - this.#bytes)
    if (kept.length < whole.length) this.#truncated = true
    this.#text += kept
    this.#pending += kept
    this.#bytes += Buffer.byteLength(kept)
  }
}

/** The longest prefix of a text with at most `bytesMax` bytes, never half a character. */
export function cutToBytes(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text
  const bytes = Buffer.from(text)
  let end = bytesMax
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
