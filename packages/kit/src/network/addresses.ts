import ipaddr from 'ipaddr.js'

/**
 * What counts as one origin for limits: an IPv4 address, or the /64 network of an IPv6 address, because every home and
 * server gets at least that many addresses to change between.
 */
export function originOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  const groups = ipaddr.IPv6.parse(address.toString()).parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}

/** Whether the address lies in one of the networks. Networks are addresses or CIDR blocks. */
export function isWithin(ip: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return networks.some((network) => {
    const [base, bits] = parseNetwork(network)
    return address.kind() === base.kind() && address.match(base, bits)
  })
}

/** @throws when the text is neither an address nor a CIDR block */
export function parseNetwork(network: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (network.includes('/')) return ipaddr.parseCIDR(network)
  const address = ipaddr.process(network)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
