import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

export interface Target {
  readonly address: string
  readonly family: 4 | 6
}

const never = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
] as const)
  never.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  never.addSubnet(network, prefix, 'ipv6')
never.addAddress('::', 'ipv6')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * The address of a host that a check may reach: never link-local or multicast, and the machine itself only if the check is pinned to it.
 * The check connects to this address, so that a second answer of the name server changes nothing.
 * @throws when there is none
 */
export async function reachableTarget(host: string, isPinned: boolean, signal: AbortSignal): Promise<Target> {
  const all = isIP(host) === 0 ? await found(host, signal) : [{ address: host, family: isIP(host) }]
  const allowed = all.find(({ address, family }) => isAllowed(address, family === 6 ? 'ipv6' : 'ipv4', isPinned))
  if (allowed === undefined) throw new Error(`${host} is an address that checks do not reach`)
  return { address: allowed.address, family: allowed.family === 6 ? 6 : 4 }
}

async function found(host: string, signal: AbortSignal) {
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([lookup(host, { all: true, order: 'ipv4first' }), ended])
}

function isAllowed(given: string, family: 'ipv4' | 'ipv6', isPinned: boolean): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(given)?.[1]
  if (mapped !== undefined) return isAllowed(mapped, 'ipv4', isPinned)
  if (never.check(given, family)) return false
  return isPinned || !(loopback.check(given, family) || isOwn(given, family))
}

function isOwn(address: string, family: 'ipv4' | 'ipv6'): boolean {
  const own = new BlockList()
  for (const list of Object.values(networkInterfaces()))
    for (const { address: each, family: kind } of list ?? []) own.addAddress(each, kind === 'IPv6' ? 'ipv6' : 'ipv4')
  return own.check(address, family)
}
