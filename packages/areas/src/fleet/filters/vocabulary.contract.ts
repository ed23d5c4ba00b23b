/** The audit actions of this area. */
export const actions = ['filter.create', 'filter.update', 'filter.delete'] as const
