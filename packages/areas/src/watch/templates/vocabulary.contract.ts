/** The audit actions of this area. */
export const actions = ['alert_template.create', 'alert_template.update', 'alert_template.delete'] as const
