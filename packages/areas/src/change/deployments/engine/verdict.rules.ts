// When a deployment halts, and when a batch ends: decided by counts alone.

/** Devices of one batch, or of all batches, by how far they are. */
export interface Tally {
  /** Not ended and not held. */
  readonly open: number
  readonly held: number
  readonly succeeded: number
  readonly failed: number
  /** The order did not reach them in time. */
  readonly expired: number
  /** Cannot run the order, or were taken out by a person. They prove nothing. */
  readonly left: number
  /** Were sent the order at least once. */
  readonly issued: number
  /** Failures that a person accepted by resuming. */
  readonly accepted: number
}

export type MaxErrors = { readonly percent: number } | { readonly count: number }

/** Whether too many devices failed. Accepted failures do not count. */
export function isHalted({ failed, accepted, issued }: Tally, maxErrors: MaxErrors): boolean {
  const bad = failed - accepted
  return 'count' in maxErrors ? bad > maxErrors.count : bad * 100 > maxErrors.percent * issued
}

export type Wait = 'devices' | 'success' | 'soak' | 'gates'

export interface Limits {
  readonly successPercent: number
  readonly isSoaked: boolean
  readonly areGatesGreen: boolean
}

/** Whether each device of the batch has ended or is held. */
export const isSettled = ({ open }: Tally): boolean => open === 0

/** Whether enough devices that the order was meant for succeeded, at least one of them. */
export const isProved = ({ succeeded, failed, expired }: Tally, successPercent: number): boolean =>
  succeeded > 0 && succeeded * 100 >= successPercent * (succeeded + failed + expired)

/** What the batch waits for before the next one may begin; null if it ended. */
export function waitOf(batch: Tally, { successPercent, isSoaked, areGatesGreen }: Limits): Wait | null {
  if (!isSettled(batch)) return 'devices'
  if (!isProved(batch, successPercent)) return 'success'
  if (!isSoaked) return 'soak'
  return areGatesGreen ? null : 'gates'
}

/** Nothing is left to do: every device has ended. */
export const isOver = ({ open, held }: Tally): boolean => open === 0 && held === 0

export const sumOf = (tallies: readonly Tally[]): Tally => {
  const sum = (field: keyof Tally) => tallies.reduce((total, tally) => total + tally[field], 0)
  return {
    open: sum('open'),
    held: sum('held'),
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    expired: sum('expired'),
    left: sum('left'),
    issued: sum('issued'),
    accepted: sum('accepted'),
  }
}

/** How many devices may be sent the order now. */
export function slotsOf(
  { maxConcurrency, perMinute }: { readonly maxConcurrency: number; readonly perMinute: number | null },
  { running, issuedLastMinute }: { readonly running: number; readonly issuedLastMinute: number },
): number {
  const free = maxConcurrency - running
  const allowed = perMinute === null ? free : Math.min(free, perMinute - issuedLastMinute)
  return Math.max(0, allowed)
}
