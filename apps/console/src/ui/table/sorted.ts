type Value = string | number | null

/** Rows in the order of one of their values; what has none comes last. */
export function sorted<Row>(rows: readonly Row[], value: (row: Row) => Value, dir: 'asc' | 'desc'): Row[] {
  const sign = dir === 'asc' ? 1 : -1
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)]
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)))
  })
}
