/** The audit actions of this area. */
export const actions = ['job.retry', 'dead_letter.replay'] as const
