// Tables that are not a tenant's own, each with the reason. Reviewed as a whole; a new table does not belong here unless
// somebody can say why a tenant could never be harmed by it.

/** Without row-level security: nothing in them belongs to a tenant or a person. */
export const open: Readonly<Record<string, string>> = {
  migrations: 'the ledger of the schema',
  permissions: 'the catalogue of permissions, the same for everybody',
  agent_versions: 'what versions of the agent there are, the same for everybody',
  agent_rollouts: 'how a version goes out to all devices of the installation; names no tenant',
  agent_update_stop: 'one switch of the installation',
  stream_positions: 'where the workers stand in their streams; requests have no privilege on it',
  metric_rollups: 'up to when metrics are rolled up; requests have no privilege on it',
  late_metrics: 'times to be rolled up again, of no device; requests have no privilege on it',
}

/** Under row-level security, but not by columns of partner and organisation. */
export const otherwiseOwned: Readonly<Record<string, string>> = {
  partners: 'is the partner',
  organizations: 'is the organisation',
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
  command_stops: 'of a partner as such, or of the installation, which everybody may read',
  idempotent_requests: 'answers kept for their caller, seen by that person',
  device_reach: 'how far a person reached, seen by that person',
}

/** Keys to another tenant's row that the database alone would not refuse, with what does. */
export const looseKeys: Readonly<Record<string, string>> = {
  'roles.org_id': 'goes with the pair of keys of the same table',
  'roles.parent_role_id': 'built-in roles belong to nobody; the handler takes parents of the own tenant only',
  'partner_users.role_id': 'built-in roles belong to nobody; the handler takes roles of the own tenant only',
  'organization_users.role_id': 'built-in roles belong to nobody; the handler takes roles of the own tenant only',
  'system_users.role_id': 'only built-in roles, and written by nobody but the first start',
  'role_permissions.role_id': 'the policy of the table asks whose role it is',
  'enrollment_keys.device_id': 'written with the device that it prepares, in one statement',
  'device_commands.device_id':
    'a command takes the organization of its device; a move leaves it behind, with what it says',
  'devices.enrollment_key_id': 'written when the key lets the device in; the device belongs where the key does',
  'sso_providers.default_role_id':
    'built-in roles belong to nobody; the handler takes roles of the own tenant only, and a sign-in asks again',
  'scim_groups.role_id': 'written by the system alone, for roles of the own tenant',
  'scim_group_members.role_id': 'written by the system alone, for roles of the own tenant',
  'audit_heads.chain_id': 'written by the system alone',
  'used_refresh_tokens.session_id': 'written by the system alone',
  'device_reach.device_id': 'written by the system alone, for a device that the handler found in reach',
  'device_group_members.device_id':
    "the handler takes devices of the group's organisation only, and moves take them out",
}
