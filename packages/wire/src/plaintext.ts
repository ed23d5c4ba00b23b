const loopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])\.?$/

/**
 * Whether an address sends what it carries unencrypted over a network. TLS is the only proof of the server, so whoever is on
 * the path could take its place. Loopback never leaves the machine.
 */
export function isExposed(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return (protocol === 'http:' || protocol === 'ws:') && !loopback.test(hostname)
}
