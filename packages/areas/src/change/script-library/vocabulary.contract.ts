/** The audit actions of this area. */
export const actions = [
  'script_category.create',
  'script_category.update',
  'script_category.delete',
  'script_tag.create',
  'script_tag.delete',
  'script.version.create',
  'script.rollback',
  'script.version.approve',
  'script.version.reject',
] as const
