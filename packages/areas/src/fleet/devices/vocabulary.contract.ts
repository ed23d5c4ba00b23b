/** The audit actions of this area. */
export const actions = ['device.tags.update'] as const

/** The permissions of this area, each with the description that the role editor shows. */
export const permissions = {
  'devices:read': 'See devices, their inventory, metrics and command history',
  'devices:write': 'Change devices, groups, tags and enrollment keys',
  'devices:delete': 'Decommission devices',
  'devices:execute': 'Send commands to devices',
} as const
