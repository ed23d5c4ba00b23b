import { z } from 'zod'

/** A UUID in lower case. */
export const id = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID in lower case')

/** Milliseconds since 1970. */
export const time = z.int().min(0).max(8_640_000_000_000_000)

/** A duration in milliseconds, up to thirty days. */
export const duration = z.int().min(0).max(2_592_000_000)

/** A number of bytes. */
export const byteCount = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

export function text(charsMax: number) {
  return z.string().max(charsMax)
}

/** A msgpack bin of exactly `length` bytes. */
export function bytes(length: number) {
  return z
    .custom<Uint8Array>((value) => value instanceof Uint8Array && value.length === length, `${length} bytes`)
    .meta({ type: 'bin', length })
}

/** A msgpack bin of 1 to `lengthMax` bytes. */
export function bytesUpTo(lengthMax: number) {
  return z
    .custom<Uint8Array>(
      (value) => value instanceof Uint8Array && value.length > 0 && value.length <= lengthMax,
      `1 to ${lengthMax} bytes`,
    )
    .meta({ type: 'bin', lengthMax })
}

/** A msgpack bin of any length; the frame's own limit applies. */
export const someBytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'bytes').meta({ type: 'bin' })

/** A map whose content only the sender and the final reader interpret; the frame's limits still apply inside. */
export const freeMap = z.record(z.string(), z.unknown())
