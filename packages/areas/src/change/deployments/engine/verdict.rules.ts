// When a batch of a deployment ends: decided by counts alone.
import { type Failures, isEnough, totalOf } from '../../../background/staged-work.rules.ts'

/** Devices of one batch, or of all batches, by how far they are. */
export interface Tally extends Failures {
  /** Not ended and not held. */
  readonly open: number
  readonly held: number
  readonly succeeded: number
  /** The order did not reach them in time. */
  readonly expired: number
  /** Cannot run the order, or were taken out by a person. They prove nothing. */
  readonly left: number
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
  isEnough(succeeded, succeeded + failed + expired, successPercent)

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
  const sum = (field: keyof Tally) => totalOf(field, tallies)
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
