// The one way out: every request to an address that a user gave goes through here.
import { lookup } from 'node:dns/promises'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { Agent, request } from 'undici'
import { badRequest } from './errors.ts'

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

/** The address that the host has now, if it is allowed to be asked. */
async function checked(url: string, allowed: readonly string[], timeoutMs: number) {
  const target = new URL(url)
  if (target.protocol !== 'https:' && target.protocol !== 'http:')
    throw badRequest('Only http and https addresses are allowed')
  if (target.username !== '' || target.password !== '') throw badRequest('Addresses must not contain credentials')
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
