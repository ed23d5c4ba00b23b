// Whose name a request may be for. A web page can lead a browser's requests for a name of its own to any address, this server's
// included (DNS rebinding), and then read the answers. So a server answers only to names that it was told are its own.
import { isIP } from 'node:net'
import { AppError } from '../errors.ts'

const portPattern = /:\d{1,5}$/
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const namePattern = new RegExp(`^${label}(?:\\.${label})*$`)

/** The host in a Host header or the authority of a request target, in one spelling; null when it is no host at all. */
export function hostOf(authority: string): string | null {
  const [, literal] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(authority) ?? []
  if (literal !== undefined) return isIP(literal) === 6 ? literal.toLowerCase() : null
  const host = authority.replace(portPattern, '').toLowerCase().replace(/\.$/, '')
  return host.length <= 253 && namePattern.test(host) ? host : null
}

/** A name, without scheme and port, that a server may be told is its own. */
export const isHostName = (text: string): boolean => hostOf(text) === text.toLowerCase().replace(/\.$/, '')

const isLoopbackName = (host: string) => host === 'localhost' || host.endsWith('.localhost')

/** The authority of an absolute request target (`GET http://host/path`); null for a plain path. */
const authorityOf = (target: string) => /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1] ?? null

export interface Addressed {
  /** Values of all Host headers. None at all can only come from HTTP/1.0, which no browser speaks. */
  readonly hosts: readonly string[]
  /** What stands in the request line. */
  readonly target: string
}

/** The names that this server answers to. */
export class KnownHosts {
  readonly #names: ReadonlySet<string>

  /** @param addresses the server's own URLs, where it has any  @param names further names */
  constructor(addresses: readonly (string | undefined)[], names: readonly string[] = []) {
    const own = addresses.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]))
    this.#names = new Set([...own, ...names].map((name) => name.toLowerCase().replace(/\.$/, '')))
  }

  /**
   * Whether a request is for this server: for a name of its own, for a loopback name, or for an address, which no page can
   * make its own. X-Forwarded-Host is not read: a proxy passes Host on.
   */
  knows({ hosts, target }: Addressed): boolean {
    const authority = authorityOf(target)
    if (hosts.length > 1) return false
    return [...hosts, ...(authority === null ? [] : [authority])].every((each) => {
      const host = hostOf(each)
      return host !== null && (isIP(host) !== 0 || isLoopbackName(host) || this.#names.has(host))
    })
  }
}

/** What a request for another name is told. */
export const misdirected = () =>
  new AppError('MISDIRECTED', 'This server does not answer to this host name. Its operator can add it to ALLOWED_HOSTS')

/** The values of the header `host` among the raw headers of a request. */
export function hostsAmong(rawHeaders: readonly string[]): string[] {
  const found: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'host') found.push(rawHeaders[index + 1] ?? '')
  return found
}
