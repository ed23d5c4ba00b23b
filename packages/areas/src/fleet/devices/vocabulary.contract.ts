/** What records of this area's changes are called in the audit log. */
export const actions = ['device.tags.update'] as const

/** The permissions that guard this area, each with the sentence that the role editor shows. */
export const permissions = {
  'devices:read': 'See devices, their inventory, metrics and command history',
  'devices:write': 'Change devices, groups, tags and enrollment keys',
  'devices:delete': 'Decommission devices',
  'devices:execute': 'Send commands to devices',
} as const
