/** The audit actions of this area. */
export const actions = [
  'user.invite',
  'user.invite.resend',
  'user.invite.accept',
  'user.update',
  'user.remove',
  'user.role.assign',
  'user.profile.update',
  'user.password.reset',
  'auth.mfa.reset',
] as const

/** The permissions of this area, each with the description that the role editor shows. */
export const permissions = {
  'users:read': 'See users and roles',
  'users:write': 'Change users and roles',
  'users:delete': 'Remove users and roles',
  'users:invite': 'Invite users',
} as const
