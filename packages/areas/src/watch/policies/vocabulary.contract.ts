/** The audit actions of this area. */
export const actions = ['alert_policy.create', 'alert_policy.update', 'alert_policy.delete'] as const
