/** The audit actions of this area. */
export const actions = ['access_review.create', 'access_review.decide', 'access_review.complete'] as const
