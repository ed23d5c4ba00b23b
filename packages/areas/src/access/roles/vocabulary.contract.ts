/** The audit actions of this area. */
export const actions = ['role.create', 'role.update', 'role.delete', 'role.clone'] as const

/** The permissions of planned areas, each with the description that the role editor shows. */
export const permissions = {
  'scripts:read': 'See scripts and their runs',
  'scripts:write': 'Create and change scripts',
  'scripts:delete': 'Delete scripts',
  'scripts:execute': 'Run scripts on devices',
  'alerts:read': 'See alerts and alert rules',
  'alerts:write': 'Create and change alert rules, channels and policies',
  'alerts:acknowledge': 'Acknowledge, resolve and suppress alerts',
  'automations:read': 'See automations and their runs',
  'automations:write': 'Create, change and start automations',
  'automations:delete': 'Delete automations',
  'reports:read': 'See reports and analytics',
  'reports:write': 'Create and change reports and dashboards',
  'reports:delete': 'Delete reports',
  'reports:export': 'Download reports',
  'backup:read': 'See backups',
  'backup:write': 'Manage backups',
  'billing:read': 'See plan and billing',
  'billing:write': 'Change plan and billing',
  'remote:access': 'Open remote sessions and transfer files',
} as const
