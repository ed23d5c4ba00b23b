/** The audit actions of this area. */
export const actions = [
  'sso.provider.create',
  'sso.provider.update',
  'sso.provider.delete',
  'sso.user.create',
  'sso.identity.link',
  'sso.identity.unlink',
  'scim.token.rotate',
  'scim.token.revoke',
] as const
