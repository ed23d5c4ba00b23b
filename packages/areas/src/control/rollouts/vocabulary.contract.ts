/** What records of this area's changes are called in the audit log. */
export const actions = [
  'agent_version_pin.set',
  'agent_version_pin.delete',
  'agent_rollout.create',
  'agent_rollout.pause',
  'agent_rollout.resume',
  'agent_rollout.cancel',
  'agent_rollout.halt',
  'agent_update.stop',
  'agent_update.allow',
] as const
