import type { ExamplesOf } from '../../examples.ts'
import type { reviews } from './reviews.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** A review of the partner's members. */
    readonly review: string
    readonly reviewItem: string
  }
}

export const reviewsExamples: ExamplesOf<typeof reviews> = {
  list: {
    subject: 'partner',
    lists: true,
    wholePartnerOnly: true,
    input: ({ partner }, scope) => (scope === 'system' ? { partnerId: partner } : {}),
  },
  create: {
    subject: 'own',
    wholePartnerOnly: true,
    input: ({ partner }, scope) => ({ name: 'Quarterly', ...(scope === 'system' ? { partnerId: partner } : {}) }),
  },
  get: { subject: 'partner', wholePartnerOnly: true, input: ({ review }) => ({ id: review }) },
  decide: {
    subject: 'partner',
    wholePartnerOnly: true,
    input: ({ review, reviewItem }) => ({ id: review, itemId: reviewItem, decision: 'approved' as const }),
  },
  // The members of the sample review are still undecided.
  complete: { subject: 'partner', wholePartnerOnly: true, answers: [400], input: ({ review }) => ({ id: review }) },
}
