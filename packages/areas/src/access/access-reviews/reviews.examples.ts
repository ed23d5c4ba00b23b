import type { ExamplesOf } from '../../examples.ts'
import type { reviews } from './reviews.contract.ts'

export const reviewsExamples: ExamplesOf<typeof reviews> = {
  list: {
    about: 'partner',
    lists: true,
    whole: true,
    input: ({ partner }, scope) => (scope === 'system' ? { partnerId: partner } : {}),
  },
  create: {
    about: 'own',
    whole: true,
    input: ({ partner }, scope) => ({ name: 'Quarterly', ...(scope === 'system' ? { partnerId: partner } : {}) }),
  },
  get: { about: 'partner', whole: true, input: ({ review }) => ({ id: review }) },
  decide: {
    about: 'partner',
    whole: true,
    input: ({ review, reviewItem }) => ({ id: review, itemId: reviewItem, decision: 'approved' as const }),
  },
  // The sample review has members that nobody has decided on.
  complete: { about: 'partner', whole: true, answers: [400], input: ({ review }) => ({ id: review }) },
}
