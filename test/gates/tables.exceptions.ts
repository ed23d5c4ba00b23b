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
  event_cursors: 'how far each follower has read the events; requests have no privilege on it',
  metric_rollups: 'the time up to which metrics are rolled up; requests have no privilege on it',
  alert_listening: 'when Muster last listened, without a tenant; requests have no privilege on it',
  alert_outages: 'when Muster did not listen, without a tenant; requests have no privilege on it',
  system_scripts: 'the scripts that come with Muster, the same for all tenants',
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
  plan_reach: 'how many devices a person reached with plans, seen by that person',
  notification_preferences: 'what a person wants to be told, seen by that person',
}

/** Foreign keys that could refer to another tenant's row, with what prevents it. */
export const looseKeys: Readonly<Record<string, string>> = {
  'monitors.device_id': 'the handler accepts only devices of the organization; a device that moves away does not check',
  'monitor_probes.device_id':
    'written by the system alone, for devices of the organization; one that moves away is replaced',
  'alerts.device_id': 'an alert gets the organization of its device, and stays there when the device moves',
  'alert_group_members.alert_id': 'written by the system alone, with the tenant of the alert',
  'alert_group_members.group_id': 'written by the system alone, for alerts of the same partner',
  'alert_group_steps.group_id': 'written by the system alone, with the tenant of the group',
  'alert_messages.group_id': 'written by the system alone, with the tenant of the group',
  'alert_timeline.alert_id': 'written with the alert, with its tenant',
  'alert_states.rule_id': 'written by the system alone, for devices that the rule targets',
  'device_policy_states.set_id': 'written by the system alone; a device that moves gets a set of its new organization',
  'device_policy_transitions.device_id': 'written by the system alone; what happened stays with the organization',
  'roles.org_id': 'covered by the composite key of the same table',
  'roles.parent_role_id': 'built-in roles belong to no tenant; the handler accepts only parents of the own tenant',
  'partner_users.role_id': 'built-in roles belong to no tenant; the handler accepts only roles of the own tenant',
  'organization_users.role_id': 'built-in roles belong to no tenant; the handler accepts only roles of the own tenant',
  'system_users.role_id': 'only built-in roles, written only at the first start',
  'role_permissions.role_id': 'the policy of the table checks the tenant of the role',
  'enrollment_keys.device_id': 'written together with the prepared device, in one statement',
  'device_commands.device_id': 'a command gets the organization of its device, and stays there when the device moves',
  'automation_run_devices.device_id': 'written by the system alone, or for devices that the handler found in reach',
  'automation_step_devices.device_id': 'written by the system alone, or for devices that the handler found in reach',
  'automation_step_devices.command_id': 'written by the system alone, for a command of the same run',
  'script_executions.device_id': 'a run gets the organization of its command, and stays there when the device moves',
  'deployment_devices.device_id':
    'written for devices that the handler found in reach; one that moves away is not sent the order',
  'script_executions.command_id': 'written with the command, with its tenant',
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
