import type { ExamplesOf } from '../../../examples.ts'
import type { usage } from './usage.contract.ts'

export const usageExamples: ExamplesOf<typeof usage> = {
  get: { subject: 'organization', hidesSubject: true, input: ({ ranScript }) => ({ id: ranScript, days: 7 }) },
}
