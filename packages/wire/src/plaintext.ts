const loopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])\.?$/

/**
 * Whether an address would send unencrypted data over a network. Without TLS the server is not authenticated, so an attacker
 * on the path could impersonate it. Loopback traffic never leaves the machine.
 */
export function isExposed(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return (protocol === 'http:' || protocol === 'ws:') && !loopback.test(hostname)
}
