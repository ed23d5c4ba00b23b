/** What records of this area's changes are called in the audit log. */
export const actions = [
  'scim.user.create',
  'scim.user.update',
  'scim.user.delete',
  'scim.group.create',
  'scim.group.update',
  'scim.group.delete',
] as const
