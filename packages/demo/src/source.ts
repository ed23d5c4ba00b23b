/** The loopback address of a machine, so that limits per address see a fleet and not one machine. */
export function sourceOf(index: number): string {
  return `127.20.${(index >> 8) & 255}.${(index & 254) + 1}`
}
