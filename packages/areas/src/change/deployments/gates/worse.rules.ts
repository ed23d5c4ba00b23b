interface Averages {
  readonly before: number | null
  readonly after: number | null
  /** Of devices that were not sent the order. */
  readonly controlBefore: number | null
  readonly controlAfter: number | null
}

/**
 * By how many percent a figure grew beyond the growth of the other devices; below 0 where it is better. Without figures of
 * other devices, beyond no growth.
 * @param floor smaller figures are taken as this
 * @returns null without figures from before and after
 */
export function worseBy({ before, after, controlBefore, controlAfter }: Averages, floor: number): number | null {
  if (before === null || after === null) return null
  const growth = (from: number, to: number) => Math.max(to, floor) / Math.max(from, floor)
  const usual = controlBefore === null || controlAfter === null ? 1 : growth(controlBefore, controlAfter)
  return Math.round((growth(before, after) / usual - 1) * 1_000) / 10
}
