/** The audit actions of this area. */
export const actions = ['audit.export', 'access.denied'] as const

/** The permissions of this area, each with the description that the role editor shows. */
export const permissions = {
  'audit:read': 'Read the audit log',
  'audit:export': 'Export the audit log',
} as const
