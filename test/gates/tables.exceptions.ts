// Tables that do not belong to one tenant, each with the reason. A new table belongs here only if no tenant can be
// harmed by its content.

/** Without row-level security: no row in them belongs to a tenant or a person. */
export const open: Readonly<Record<string, string>> = {
  migrations: 'the applied migrations',
  permissions: 'the catalog of permissions, the same for all tenants',
  agent_versions: 'the versions of the agent, the same for all tenants',
  agent_rollouts: 'how a version is rolled out to all devices of the installation; has no tenant columns',
  agent_update_stop: 'one switch of the installation',
  stream_positions: 'the positions of the workers in their streams; requests have no privilege on it',
  metric_rollups: 'the time up to which metrics are rolled up; requests have no privilege on it',
  late_metrics: 'times to roll up again, without devices; requests have no privilege on it',
}

/** Under row-level security, but without both columns partner_id and org_id. */
export const otherwiseOwned: Readonly<Record<string, string>> = {
  partners: 'is the partner',
  organizations: 'is the organization',
  partner_users: 'belongs to the partner as such',
  system_users: 'seen by system scope alone',
  users: 'a person, seen through its memberships',
  sessions: 'seen with its person',
  role_permissions: 'seen with its role',
  audit_chains: 'the chain of a partner as such, or of the installation',
  audit_heads: 'seen with its chain',
  used_refresh_tokens: 'only for the system',
  one_time_tokens: 'only for the system',
  passkeys: 'seen by its person',
  command_stops: 'of a partner as such, or of the installation, which all callers may read',
  idempotent_requests: 'responses stored for their caller, seen by that person',
  device_reach: 'the devices that a person changed, seen by that person',
}

/** Foreign keys that could refer to another tenant's row, with what prevents it. */
export const looseKeys: Readonly<Record<string, string>> = {
  'roles.org_id': 'covered by the composite key of the same table',
  'roles.parent_role_id': 'built-in roles belong to no tenant; the handler accepts only parents of the own tenant',
  'partner_users.role_id': 'built-in roles belong to no tenant; the handler accepts only roles of the own tenant',
  'organization_users.role_id': 'built-in roles belong to no tenant; the handler accepts only roles of the own tenant',
  'system_users.role_id': 'only built-in roles, written only at the first start',
  'role_permissions.role_id': 'the policy of the table checks the tenant of the role',
  'enrollment_keys.device_id': 'written together with the prepared device, in one statement',
  'device_commands.device_id': 'a command gets the organization of its device, and stays there when the device moves',
  'devices.enrollment_key_id': 'written at enrollment with the key; the device gets the organization of the key',
  'sso_providers.default_role_id':
    'built-in roles belong to no tenant; the handler accepts only roles of the own tenant, and a sign-in checks again',
  'scim_groups.role_id': 'written by the system alone, for roles of the own tenant',
  'scim_group_members.role_id': 'written by the system alone, for roles of the own tenant',
  'audit_heads.chain_id': 'written by the system alone',
  'used_refresh_tokens.session_id': 'written by the system alone',
  'device_reach.device_id': 'written by the system alone, for a device that the handler found in reach',
  'device_group_members.device_id':
    "the handler accepts only devices of the group's organization, and a move removes them from it",
}
