// The one way out: every request to an address that a user gave goes through here.
import { lookup } from 'node:dns/promises'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { Agent, request } from 'undici'
import { AppError, badRequest, invalid } from '../errors.ts'

export interface OutgoingRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** For the whole answer; of a stream until its headers are there, and for each pause in it. */
  readonly timeoutMs?: number
  readonly bytesMax?: number
}
interface AnswerHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}
export interface OutgoingAnswer extends AnswerHead {
  readonly body: Buffer
}
/** An answer that is read piece by piece. Its connection ends with the body: read to its end, failed or destroyed. */
export interface OutgoingStream extends AnswerHead {
  readonly body: Readable
}

/** Addresses that no user may make the server talk to: only globally routable unicast passes. */
export function isForbiddenAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return true
  const address = ipaddr.process(text)
  return address.range() !== 'unicast'
}

/** A resolver that does not answer would otherwise hold the caller far longer than the address it asks about. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const late = new AbortController()
  const tooLate = pause(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error('the name could not be resolved in time')
  })
  try {
    return await Promise.race([answer, tooLate])
  } finally {
    late.abort()
    tooLate.catch(() => undefined)
  }
}

/**
 * Resolves the host once, checks every address, connects to a checked one, follows no redirect and caps time and size.
 * @param allowed networks in CIDR form that an operator opened in spite of the rule
 * @throws AppError BAD_REQUEST when the address is not allowed; any other error when the request fails
 */
export async function requestOutside(
  url: string,
  options: OutgoingRequest = {},
  allowed: readonly string[] = [],
): Promise<OutgoingAnswer> {
  const { answer, dispatcher } = await ask(
    url,
    options,
    allowed,
    AbortSignal.timeout(options.timeoutMs ?? timeoutUsually),
  )
  try {
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) }
  } finally {
    await dispatcher.destroy()
  }
}

/** Like `requestOutside`, for answers that are too large to be held in memory. */
export async function streamOutside(
  url: string,
  options: OutgoingRequest = {},
  allowed: readonly string[] = [],
): Promise<OutgoingStream> {
  const { answer, dispatcher } = await ask(url, options, allowed)
  const { body } = answer
  // A listener, unlike a generator's `finally`, also runs for a body that is destroyed before anyone has read from it.
  body.once('close', () => void dispatcher.destroy())
  // Who reads hears of a failure anyway. Without a listener, a body that is destroyed unread would end the process.
  body.on('error', () => undefined)
  return { status: answer.statusCode, headers: answer.headers, body }
}

const timeoutUsually = 15_000

/**
 * For an address that a user saves: whether requests to it will be allowed. A name that cannot be resolved now is accepted,
 * because each request checks again.
 * @param field names the address in the error
 * @throws AppError VALIDATION_ERROR when the address is not allowed
 */
export async function requireAllowedAddress(
  url: string,
  allowed: readonly string[] = [],
  field = 'url',
): Promise<void> {
  try {
    await checked(url, allowed, lookUpMs)
  } catch (error) {
    if (error instanceof AppError) throw invalid(`${field}: ${error.message}`)
  }
}
const lookUpMs = 1_000

/**
 * Requests to endpoints that are asked often. Connections to a checked address are kept for at most half a minute, and then
 * the host is resolved and checked again. Endpoints share no connection, so that one that hangs does not delay another on its
 * host. Of an answer only the first `bytesMax` bytes are read.
 */
export class OutgoingConnections {
  readonly #allowed: readonly string[]
  readonly #keptMs: number
  readonly #kept = new Map<string, Promise<Agent>>()

  constructor(allowed: readonly string[], { keptMs = 30_000 }: { readonly keptMs?: number } = {}) {
    this.#allowed = allowed
    this.#keptMs = keptMs
  }

  /** @throws AppError BAD_REQUEST when the address is not allowed; any other error when no status was received in time */
  async request(endpoint: string, url: string, options: OutgoingRequest = {}): Promise<OutgoingAnswer> {
    const timeoutMs = options.timeoutMs ?? timeoutUsually
    const target = targetOf(url)
    const signal = AbortSignal.timeout(timeoutMs)
    const dispatcher = await this.#to(endpoint, target, timeoutMs)
    const answer = await request(target, {
      dispatcher,
      method: options.method ?? 'GET',
      headers: options.headers,
      body: options.body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal,
    })
    const body = await firstBytes(answer.body, options.bytesMax ?? 4_096)
    return { status: answer.statusCode, headers: answer.headers, body }
  }

  async close(): Promise<void> {
    const kept = [...this.#kept.values()]
    this.#kept.clear()
    await Promise.allSettled(kept.map(async (each) => (await each).destroy()))
  }

  #to(endpoint: string, target: URL, timeoutMs: number): Promise<Agent> {
    const key = `${endpoint} ${target.origin}`
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const opening = openChecked(target, this.#allowed, timeoutMs)
    const forget = () => {
      if (this.#kept.get(key) === opening) this.#kept.delete(key)
    }
    this.#kept.set(key, opening)
    // `close` lets the requests that are under way end.
    const expire = (dispatcher: Agent) => {
      forget()
      dispatcher.close().catch(() => undefined)
    }
    opening.then((dispatcher) => setTimeout(expire, this.#keptMs, dispatcher).unref(), forget)
    return opening
  }
}

async function openChecked(target: URL, allowed: readonly string[], timeoutMs: number): Promise<Agent> {
  const { address } = await checked(target.href, allowed, timeoutMs)
  return new Agent({
    connect: { timeout: timeoutMs, lookup: (_host, _options, done) => done(null, [address]) },
    pipelining: 1,
    connections: connectionsPerEndpointMax,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
  })
}
const connectionsPerEndpointMax = 10
const keepAliveMs = 10_000

/** A receiver that has sent its status decided. What follows is for the log, so neither its size nor its end matters. */
async function firstBytes(body: Readable, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      const piece: Buffer = Buffer.from(chunk)
      chunks.push(piece)
      length += piece.length
      if (length >= bytesMax) break
    }
  } catch {
    // The status is known; the rest of the answer was lost or took too long.
  }
  return Buffer.concat(chunks).subarray(0, bytesMax)
}

async function ask(url: string, options: OutgoingRequest, allowed: readonly string[], signal?: AbortSignal) {
  const timeoutMs = options.timeoutMs ?? timeoutUsually
  const { target, address } = await checked(url, allowed, timeoutMs)
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs, lookup: (_host, _options, done) => done(null, [address]) },
    pipelining: 0,
    maxResponseSize: options.bytesMax ?? 1_048_576,
  })
  try {
    const answer = await request(target, {
      dispatcher,
      method: options.method ?? 'GET',
      headers: options.headers,
      body: options.body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal,
    })
    return { answer, dispatcher }
  } catch (error) {
    await dispatcher.destroy()
    throw error
  }
}

/** The address as a URL of a form that may be asked. @throws AppError BAD_REQUEST for other protocols and for credentials */
function targetOf(url: string): URL {
  const target = new URL(url)
  if (target.protocol !== 'https:' && target.protocol !== 'http:')
    throw badRequest('Only http and https addresses are allowed')
  if (target.username !== '' || target.password !== '') throw badRequest('Addresses must not contain credentials')
  return target
}

/** The address that the host has now, if it is allowed to be asked. */
async function checked(url: string, allowed: readonly string[], timeoutMs: number) {
  const target = targetOf(url)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const found = ipaddr.isValid(host)
    ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
    : await within(timeoutMs, lookup(host, { all: true }))
  const opened = allowed.map((network) => ipaddr.parseCIDR(network))
  const isOpened = (text: string) => {
    const address = ipaddr.process(text)
    return opened.some((network) => address.kind() === network[0].kind() && address.match(network))
  }
  const [address] = found
  if (address === undefined || found.some((each) => isForbiddenAddress(each.address) && !isOpened(each.address))) {
    throw badRequest(`The address ${target.host} is not allowed`)
  }
  return { target, address }
}

/** Whether two URLs lead to different servers. What is secret for one must not reach the other. */
export const isOtherOrigin = (one: string, other: string): boolean =>
  !URL.canParse(one) || !URL.canParse(other) || new URL(one).origin !== new URL(other).origin
