import { Readable } from 'node:stream'
import type { RawAnswer } from '../call.ts'

/** A body ready to be sent: in one piece, or as a stream that has to be read to its end or destroyed. */
export async function opened(body: RawAnswer['body']): Promise<string | Uint8Array | Readable> {
  if (body === null) return ''
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  return 'open' in body ? body.open() : Readable.from(body)
}
