/** The statuses of alerts that are not resolved. */
export const openStatuses = ['active', 'acknowledged', 'suppressed'] as const
