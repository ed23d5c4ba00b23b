// Which targets checks of agents may have. The agent judges the addresses of names again before it connects.
import { BlockList, isIP } from 'node:net'
import { isPrinterPort } from '@muster/wire/checks/probes.ts'

const never = new BlockList()
never.addSubnet('0.0.0.0', 8, 'ipv4')
never.addSubnet('169.254.0.0', 16, 'ipv4')
never.addSubnet('224.0.0.0', 3, 'ipv4')
never.addSubnet('fe80::', 10, 'ipv6')
never.addSubnet('ff00::', 8, 'ipv6')
never.addAddress('::', 'ipv6')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i

/** What is wrong with a name to look up; null if nothing. Such names also are addresses turned around, and parts of services. */
export const faultOfName = (name: string): string | null =>
  hostName.test(name) || name === '.' ? null : 'must be a domain name such as www.example.com'

/** What is wrong with a host; null if nothing. @param isPinned whether a person chose the device that checks it */
export function faultOfHost(host: string, isPinned: boolean): string | null {
  const family = isIP(host)
  if (family === 0) {
    if (!hostName.test(host)) return 'must be a host name or an address'
    // Such as 127.1 or 0x7f.1, which resolvers read as addresses.
    if (/^(0x[0-9a-f]+|\d+)$/i.test(host.replace(/\.$/, '').split('.').at(-1) ?? ''))
      return 'must be a host name or an address'
    const isLocal = /(^|\.)localhost\.?$/i.test(host)
    return isLocal && !isPinned ? onlyPinned : null
  }
  const mapped = family === 6 ? mappedAddress(host) : undefined
  if (mapped !== undefined) return faultOfHost(mapped, isPinned)
  const kind = family === 4 ? 'ipv4' : 'ipv6'
  if (never.check(host, kind)) return 'must not be a link-local, multicast or unspecified address'
  return loopback.check(host, kind) && !isPinned ? onlyPinned : null
}

const onlyPinned = 'may be the machine itself only when deviceId says which machine'

/** The IPv4 address in an IPv6 address such as ::ffff:127.0.0.1 or ::ffff:7f00:1. */
function mappedAddress(host: string): string | undefined {
  const normal = new URL(`http://[${host.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [, high = '', low = ''] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(normal) ?? []
  if (high === '') return undefined
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`
}

export const faultOfPort = (port: number): string | null =>
  isPrinterPort(port) ? `must not be ${port}: printers print what they receive there` : null

/** What is wrong with a URL; null if nothing. */
export function faultOfUrl(text: string, isPinned: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return 'must be a URL that begins with http:// or https://'
  if (url.username !== '' || url.password !== '') return 'must not contain a password. Use config.headers'
  const port = url.port === '' ? null : faultOfPort(Number(url.port))
  return port ?? faultOfHost(url.hostname.replace(/^\[|\]$/g, ''), isPinned)
}

/** What is wrong with a name server, with or without a port; null if nothing. */
export function faultOfServer(server: string, isPinned: boolean): string | null {
  if (isIP(server) !== 0) return faultOfHost(server, isPinned)
  const [, six, four, port = ''] = /^(?:\[([0-9a-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(server) ?? []
  const host = six ?? four ?? ''
  if (isIP(host) === 0 || Number(port) < 1 || Number(port) > 65_535)
    return 'must be the address of a name server, with a port if it is not 53'
  return faultOfPort(Number(port)) ?? faultOfHost(host, isPinned)
}
