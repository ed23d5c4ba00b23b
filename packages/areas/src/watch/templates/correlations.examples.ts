import type { ExamplesOf } from '../../examples.ts'
import type { correlations } from './correlations.contract.ts'

const subject = 'device'

export const correlationsExamples: ExamplesOf<typeof correlations> = {
  list: { subject, lists: true, hidesSubject: true, input: () => ({ limit: 100 }) },
  groups: { subject, lists: true, hidesSubject: true, input: () => ({ limit: 100 }) },
  analyze: { subject, answers: [403], lists: true, hidesSubject: true, input: ({ org }) => ({ orgId: org }) },
}
