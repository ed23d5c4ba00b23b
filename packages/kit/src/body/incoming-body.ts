// Bodies of raw operations, which reach the handler unread.
import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from '../call.ts'
import { AppError, badRequest, invalid } from '../errors.ts'

type Sent = Pick<Request, 'body' | 'header'>

export interface BodyLimits {
  readonly bytesMax: number
  /** The longest wait for the next bytes. The server ends the whole request after two minutes in any case. */
  readonly pauseMs?: number
}

const usualPauseMs = 30_000

/** What the sender declared about the body. */
export interface Declared {
  readonly size?: number
  readonly sha256?: string
}

/** @param hashHeader the header that carries the SHA-256 in hex. @throws VALIDATION_ERROR where it is none */
export function declaredOf(request: Sent, hashHeader: string): Declared {
  const size = sizeOf(request)
  const sha256 = request.header(hashHeader)?.toLowerCase()
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
    throw invalid(`${hashHeader}: must be a SHA-256 as 64 hexadecimal digits`)
  return { ...(size !== undefined && { size }), ...(sha256 !== undefined && { sha256 }) }
}

function sizeOf(request: Sent): number | undefined {
  const text = request.header('content-length')
  return text === undefined ? undefined : Number(text)
}

const tooLarge = (bytesMax: number) =>
  new AppError('PAYLOAD_TOO_LARGE', `The body is larger than ${bytesMax} bytes. Send a smaller one`)

/**
 * The body as it arrives, with backpressure.
 * @throws PAYLOAD_TOO_LARGE before the first byte when the length is declared; BAD_REQUEST when the sender stalls or disconnects
 */
export async function* incomingBody(request: Sent, { bytesMax, pauseMs = usualPauseMs }: BodyLimits) {
  if ((sizeOf(request) ?? 0) > bytesMax) throw tooLarge(bytesMax)
  if (request.body === null) return
  const bytes = request.body[Symbol.asyncIterator]()
  let received = 0
  for (;;) {
    const next = await nextWithin(bytes, pauseMs)
    if (next.done === true) return
    received += next.value.length
    if (received > bytesMax) throw tooLarge(bytesMax)
    yield next.value
  }
}

async function nextWithin(bytes: AsyncIterator<Uint8Array>, pauseMs: number): Promise<IteratorResult<Uint8Array>> {
  const arrived = new AbortController()
  const next = bytes.next().catch((error: unknown) => {
    throw new AppError('BAD_REQUEST', 'The body did not come to its end. Send it again', {}, error)
  })
  const tooLate = pause(pauseMs, undefined, { signal: arrived.signal }).then(() => {
    throw badRequest(`The body paused for more than ${Math.ceil(pauseMs / 1_000)} seconds. Send it again`)
  })
  try {
    return await Promise.race([next, tooLate])
  } finally {
    arrived.abort()
    tooLate.catch(() => undefined)
    next.catch(() => undefined)
  }
}

/** The fields of a form that operations take with `consumes: 'application/x-www-form-urlencoded'`. */
export async function formOf(request: Sent, bytesMax = 1_048_576): Promise<Record<string, string>> {
  const pieces: Uint8Array[] = []
  for await (const piece of incomingBody(request, { bytesMax })) pieces.push(piece)
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(Buffer.concat(pieces).toString('utf8'))) {
    if (fields.has(name)) throw invalid(`${name}: must be sent once`)
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}
