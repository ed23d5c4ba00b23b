/** What records of this area's changes are called in the audit log. */
export const actions = ['filter.create', 'filter.update', 'filter.delete'] as const
