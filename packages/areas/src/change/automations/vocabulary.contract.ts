/** The audit actions of this area. */
export const actions = [
  'automation.create',
  'automation.update',
  'automation.delete',
  'automation.run',
  'automation.dry_run',
  'automation.disable',
  'automation.trip',
] as const
