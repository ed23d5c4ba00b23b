/** The loopback address that a machine comes from: limits per address see a fleet, not one machine. */
export function sourceOf(index: number): string {
  return `127.20.${(index >> 8) & 255}.${(index & 254) + 1}`
}
