/** The audit actions of this area. */
export const actions = [
  'policy.create',
  'policy.update',
  'policy.delete',
  'policy.activate',
  'policy.deactivate',
  'policy.remediate',
  'policy.hold',
  'policy_exception.create',
  'policy_exception.delete',
] as const
