// The one way out: every request to an address that a user gave goes through here.
import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { Agent, request } from 'undici'
import { badRequest } from './errors.ts'

export interface OutgoingRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs?: number
  readonly bytesMax?: number
}
export interface OutgoingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** Addresses that no user may make the server talk to: only globally routable unicast passes. */
export function isForbiddenAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return true
  const address = ipaddr.process(text)
  return address.range() !== 'unicast'
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
  const target = new URL(url)
  if (target.protocol !== 'https:' && target.protocol !== 'http:')
    throw badRequest('Only http and https addresses are allowed')
  if (target.username !== '' || target.password !== '') throw badRequest('Addresses must not contain credentials')
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const found = ipaddr.isValid(host)
    ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
    : await lookup(host, { all: true })
  const opened = allowed.map((network) => ipaddr.parseCIDR(network))
  const isOpened = (text: string) => {
    const address = ipaddr.process(text)
    return opened.some((network) => address.kind() === network[0].kind() && address.match(network))
  }
  const [first] = found
  if (first === undefined || found.some(({ address }) => isForbiddenAddress(address) && !isOpened(address))) {
    throw badRequest(`The address ${target.host} is not allowed`)
  }
  const timeoutMs = options.timeoutMs ?? 15_000
  const bytesMax = options.bytesMax ?? 1_048_576
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs, lookup: (_host, _options, done) => done(null, [first]) },
    pipelining: 0,
    maxResponseSize: bytesMax,
  })
  try {
    const answer = await request(target, {
      dispatcher,
      method: options.method ?? 'GET',
      headers: options.headers,
      body: options.body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) }
  } finally {
    await dispatcher.destroy()
  }
}
