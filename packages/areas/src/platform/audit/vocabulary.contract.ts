/** What records of this area's changes are called in the audit log. */
export const actions = ['audit.export', 'access.denied'] as const

/** The permissions that guard this area, each with the sentence that the role editor shows. */
export const permissions = {
  'audit:read': 'Read the audit log',
  'audit:export': 'Export the audit log',
} as const
