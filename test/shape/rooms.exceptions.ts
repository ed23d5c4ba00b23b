/** Tables with several writers. The list only shrinks. */
export const writerExceptions: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['access/api-keys', 'access/auth'],
  device_state: ['control/lifecycle', 'fleet/devices'],
  devices: ['control/commands', 'control/lifecycle', 'fleet/custom-fields', 'fleet/devices'],
  enrollment_keys: ['control/lifecycle', 'fleet/enrollment', 'tenancy/tenancy'],
  organization_users: ['access/roles', 'access/users', 'fleet/groups', 'tenancy/tenancy'],
  partner_users: ['access/auth', 'access/roles', 'access/users'],
  partners: ['access/auth', 'control/commands', 'tenancy/tenancy'],
  role_permissions: ['access/auth', 'access/roles'],
  roles: ['access/auth', 'access/roles'],
  sessions: ['access/auth', 'access/sso'],
  users: ['access/auth', 'access/users'],
}
