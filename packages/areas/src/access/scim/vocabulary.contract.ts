/** The audit actions of this area. */
export const actions = [
  'scim.user.create',
  'scim.user.update',
  'scim.user.delete',
  'scim.group.create',
  'scim.group.update',
  'scim.group.delete',
] as const
