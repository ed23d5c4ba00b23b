interface Owned {
  readonly id: string
  readonly orgId: string | null
}

/** The policies of one owner in their order after one of them moved. Empty at the ends of the list. */
export function moved(policies: readonly Owned[], id: string, by: -1 | 1): string[] {
  const policy = policies.find((each) => each.id === id)
  const own = policies.filter(({ orgId }) => orgId === policy?.orgId).map((each) => each.id)
  const from = own.indexOf(id)
  const to = from + by
  return to < 0 || to >= own.length ? [] : own.toSpliced(from, 1).toSpliced(to, 0, id)
}
