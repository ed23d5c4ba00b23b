// When a rollout goes on, when it stops itself and when it is done: decided from counts alone.

/** What became of the devices that a rollout has offered its version to. */
export interface Counts {
  readonly offered: number
  readonly succeeded: number
  readonly failed: number
}

export interface Thresholds {
  readonly stages: readonly number[]
  /** Counted from 1. */
  readonly stage: number
  readonly successPercent: number
  readonly errorPercent: number
  readonly errorsAccepted: number
}

export type Verdict =
  | { readonly next: 'halt'; readonly reason: string }
  | { readonly next: 'advance' | 'complete' | 'wait' }

/** Devices that a rollout reaches, out of ten thousand. */
export function reachOf({ stages, stage }: Pick<Thresholds, 'stages' | 'stage'>): number {
  return Math.round((stages[stage - 1] ?? 0) * 100)
}

/** Whether so many failures are too many of those reached. What a person has seen and accepted does not count. */
export function tooManyErrors(counts: Counts, { errorPercent, errorsAccepted }: Thresholds): boolean {
  const failed = counts.failed - errorsAccepted
  return failed > 0 && failed * 100 > errorPercent * counts.offered
}

/**
 * @param isDue whether the stage has lasted long enough
 * @param members how many devices the stage is meant for, whether they are connected or not
 */
export function verdictOf(counts: Counts, given: Thresholds, isDue: boolean, members: number): Verdict {
  if (tooManyErrors(counts, given))
    return { next: 'halt', reason: `${counts.failed} of ${counts.offered} devices failed to update` }
  // A stage in which nobody is connected proves nothing; one that is meant for nobody has nothing to prove.
  const isProved = counts.succeeded > 0 && counts.succeeded * 100 >= given.successPercent * counts.offered
  if (!isDue || !(isProved || members === 0)) return { next: 'wait' }
  if (given.stage < given.stages.length) return { next: 'advance' }
  return { next: counts.succeeded >= members ? 'complete' : 'wait' }
}
