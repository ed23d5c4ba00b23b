/** The audit actions of this area. */
export const actions = ['secret.create', 'secret.update', 'secret.delete'] as const
