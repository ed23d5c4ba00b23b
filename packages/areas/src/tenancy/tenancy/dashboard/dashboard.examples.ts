import type { ExamplesOf } from '../../../examples.ts'
import type { dashboard } from './dashboard.contract.ts'

export const dashboardExamples: ExamplesOf<typeof dashboard> = {
  get: { subject: 'organization', lists: true, input: () => ({}) },
}
