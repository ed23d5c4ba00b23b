/** The audit actions of this area. */
export const actions = [
  'alert.open',
  'alert.reopen',
  'alert.acknowledge',
  'alert.resolve',
  'alert.suppress',
  'alert_rule.create',
  'alert_rule.update',
  'alert_rule.delete',
] as const
