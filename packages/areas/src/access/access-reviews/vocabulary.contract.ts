/** What records of this area's changes are called in the audit log. */
export const actions = ['access_review.create', 'access_review.decide', 'access_review.complete'] as const
