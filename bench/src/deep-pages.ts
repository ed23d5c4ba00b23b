const longestPage = 1_000

/** Page sizes that add up to a number of rows: the fastest way to a position far down a list. */
export function stepsDown(rows: number): number[] {
  const whole = new Array<number>(Math.floor(rows / longestPage)).fill(longestPage)
  const rest = rows % longestPage
  return rest === 0 ? whole : [...whole, rest]
}
