// What is found about a rule and a device.

export interface Judgment {
  readonly status: 'compliant' | 'non_compliant' | 'error' | 'pending'
  readonly expected: string
  readonly actual: string | null
}

export type Verdict = Pick<Judgment, 'status' | 'actual'>

export const kept = (isKept: boolean, actual: string | null): Verdict => ({
  status: isKept ? 'compliant' : 'non_compliant',
  actual,
})
