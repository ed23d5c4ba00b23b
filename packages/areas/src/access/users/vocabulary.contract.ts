/** What records of this area's changes are called in the audit log. */
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

/** The permissions that guard this area, each with the sentence that the role editor shows. */
export const permissions = {
  'users:read': 'See users and roles',
  'users:write': 'Change users and roles',
  'users:delete': 'Remove users and roles',
  'users:invite': 'Invite users',
} as const
