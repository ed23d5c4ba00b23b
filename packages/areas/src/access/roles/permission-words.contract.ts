/** The resources and actions of permissions. `*` stands for all. */
export const resources = [
  'devices',
  'scripts',
  'alerts',
  'automations',
  'reports',
  'backup',
  'billing',
  'users',
  'settings',
  'organizations',
  'sites',
  'remote',
  'audit',
] as const
export const actions = [
  'view',
  'read',
  'create',
  'update',
  'write',
  'delete',
  'execute',
  'acknowledge',
  'invite',
  'access',
  'export',
] as const
