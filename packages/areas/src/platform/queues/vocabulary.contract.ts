/** What records of this area's changes are called in the audit log. */
export const actions = ['job.retry', 'dead_letter.replay'] as const
