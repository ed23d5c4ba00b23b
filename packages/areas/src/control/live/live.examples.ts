import type { ExamplesOf } from '../../examples.ts'
import type { live } from './live.contract.ts'

export const liveExamples: ExamplesOf<typeof live> = {
  events: { subject: 'own', input: () => ({}) },
}
