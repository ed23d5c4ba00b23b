/** The audit actions of this area. */
export const actions = ['mail.retry'] as const
