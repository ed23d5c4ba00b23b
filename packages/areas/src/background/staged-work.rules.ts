// When staged work halts and when a stage has proved itself, for rollouts and deployments alike: decided by counts alone.

export type MaxErrors = { readonly percent: number } | { readonly count: number }

/** Devices of staged work that count against it. */
export interface Failures {
  readonly failed: number
  /** Failures that a person accepted by resuming. */
  readonly accepted: number
  /** Were sent the order at least once. */
  readonly issued: number
}

/** Whether too many devices failed. Accepted failures do not count. */
export function isHalted({ failed, accepted, issued }: Failures, maxErrors: MaxErrors): boolean {
  const bad = failed - accepted
  return 'count' in maxErrors ? bad > maxErrors.count : bad * 100 > maxErrors.percent * issued
}

/** Whether enough of the devices succeeded, at least one of them. */
export const isEnough = (succeeded: number, devices: number, successPercent: number): boolean =>
  succeeded > 0 && succeeded * 100 >= successPercent * devices

/** The sum of one count. */
export const totalOf = <Field extends string>(field: Field, all: readonly Readonly<Record<Field, number>>[]): number =>
  all.reduce((total, counts) => total + counts[field], 0)
