/** The audit actions of this area. */
export const actions = [
  'partner.create',
  'partner.update',
  'partner.delete',
  'partner.settings.update',
  'organization.create',
  'organization.update',
  'organization.delete',
  'organization.order.update',
  'site.create',
  'site.update',
  'site.delete',
] as const

/** The permissions of this area, each with the description that the role editor shows. */
export const permissions = {
  'settings:read': 'See settings and integrations',
  'settings:write': 'Change settings and integrations',
  'organizations:read': 'See organizations',
  'organizations:write': 'Create and change organizations',
  'organizations:delete': 'Delete organizations',
  'sites:read': 'See sites',
  'sites:write': 'Create and change sites',
  'sites:delete': 'Delete sites',
} as const
