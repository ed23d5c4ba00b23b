/** What records of this area's changes are called in the audit log. */
export const actions = ['mail.retry'] as const
