import type { Counts } from '@muster/areas/change/device-policies/compliance/counts.contract.ts'

interface Counted {
  readonly name: string
  readonly counts: Counts
}

/** The counts of policies together, and the share that complies: as the service counts it, null without any. */
export function sumOfPolicies(policies: readonly Counted[]) {
  const of = (name: keyof Counts) => policies.reduce((sum, { counts }) => sum + counts[name], 0)
  const [compliant, nonCompliant, error] = [of('compliant'), of('nonCompliant'), of('error')]
  const judged = compliant + nonCompliant + error
  const percent = judged === 0 ? null : Math.round((1_000 * compliant) / judged) / 10
  return { compliant, nonCompliant, error, pending: of('pending'), exempt: of('exempt'), percent }
}

/** Policies with the most violations first. */
export const worstFirst = <Policy extends Counted>(policies: readonly Policy[]): Policy[] =>
  policies.toSorted(
    (one, other) => other.counts.nonCompliant - one.counts.nonCompliant || one.name.localeCompare(other.name),
  )
