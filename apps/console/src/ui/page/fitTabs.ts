interface Measured {
  readonly id: string
  readonly width: number
}
interface Row {
  readonly room: number
  /** The width of the button that opens the menu. */
  readonly more: number
  /** Tabs of which the first that would be hidden is shown in place of the last ones. */
  readonly preferred: readonly (string | null)[]
}

/** The tabs that a row has room for: the first ones, and one that the user prefers. */
export function fitTabs(tabs: readonly Measured[], { room, more, preferred }: Row): ReadonlySet<string> {
  const total = (some: readonly Measured[]) => some.reduce((sum, { width }) => sum + width, 0)
  if (total(tabs) <= room) return new Set(tabs.map(({ id }) => id))
  for (let count = tabs.length - 1; count > 0; count--) {
    const first = tabs.slice(0, count)
    const wanted = preferred.find((id) => tabs.slice(count).some((tab) => tab.id === id))
    const shown = [...first, ...tabs.filter(({ id }) => id === wanted)]
    if (total(shown) + more <= room) return new Set(shown.map(({ id }) => id))
  }
  const [first] = tabs
  const open = preferred.find((id) => tabs.some((tab) => tab.id === id)) ?? first?.id
  return new Set(open === undefined ? [] : [open])
}
