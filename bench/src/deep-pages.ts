const longestPage = 1_000

/** Lengths of pages that together are so many rows: the quickest way to a place far down a list. */
export function stepsDown(rows: number): number[] {
  const whole = new Array<number>(Math.floor(rows / longestPage)).fill(longestPage)
  const rest = rows % longestPage
  return rest === 0 ? whole : [...whole, rest]
}
