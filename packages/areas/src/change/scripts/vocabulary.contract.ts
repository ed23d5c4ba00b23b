/** The audit actions of this area. */
export const actions = ['script.create', 'script.update', 'script.delete', 'script.import'] as const
