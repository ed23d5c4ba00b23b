// The words for the tables and unique values of the schema, for refusals that callers read. A gate demands an entry for
// every table that a foreign key or unique index belongs to, and for every unique index that holds what callers send.

/** What one row of a table is called. */
export const things: Readonly<Record<string, string>> = {
  access_review_items: 'item of an access review',
  access_reviews: 'access review',
  agent_rollouts: 'rollout',
  agent_update_stop: 'update stop',
  agent_version_pins: 'version pin',
  agent_versions: 'agent version',
  api_keys: 'API key',
  audit_chains: 'audit chain',
  audit_heads: 'head of the audit chain',
  audit_logs: 'audit record',
  command_approvals: 'approval request',
  command_stops: 'command stop',
  custom_fields: 'custom field',
  device_commands: 'command',
  device_duplicates: 'duplicate notice',
  device_group_log: 'entry of the group log',
  device_group_members: 'group membership',
  device_groups: 'group',
  device_inventory: 'inventory',
  device_inventory_log: 'inventory change',
  device_metrics: 'metric',
  device_metrics_five_minutes: 'metric',
  device_metrics_hours: 'metric',
  device_reach: 'reach of a person',
  device_state: 'device state',
  device_updates: 'device update',
  devices: 'device',
  enrollment_codes: 'install code',
  enrollment_keys: 'enrollment key',
  late_metrics: 'late metric',
  mail_outbox: 'mail',
  metric_rollups: 'metric rollup',
  migrations: 'migration',
  one_time_tokens: 'link',
  organization_users: 'membership',
  organizations: 'organization',
  partner_users: 'membership',
  partners: 'partner',
  passkeys: 'passkey',
  permissions: 'permission',
  role_permissions: 'permission of a role',
  roles: 'role',
  saved_filters: 'filter',
  scim_group_members: 'provisioned group member',
  scim_groups: 'provisioned group',
  scim_users: 'provisioned user',
  sessions: 'session',
  sites: 'site',
  sso_identities: 'linked identity',
  sso_providers: 'SSO provider',
  stream_positions: 'stream position',
  system_users: 'membership',
  used_refresh_tokens: 'refresh token',
  user_invitations: 'invitation',
  users: 'user',
}

export interface TakenWords {
  /** The field of the request that holds the value. */
  readonly field: string
  readonly message: string
}
const taken = (field: string, message: string): TakenWords => ({ field, message })
const existsAlready = (thing: string, field: string) => taken(field, `A ${thing} with this ${field} already exists`)
const memberAlready = taken('email', 'User already exists in this scope')

/** Unique indexes over what callers send. */
export const takenWords: Readonly<Record<string, TakenWords>> = {
  access_review_items_review_id_membership_id_key: taken('membershipId', 'The review lists this membership already'),
  agent_rollouts_open: taken('version', 'Another rollout is not finished yet'),
  agent_version_pins_place: taken('orgId', 'There is a version pin at this place already'),
  agent_versions_version_kind_os_arch_key: existsAlready('build of this platform', 'version'),
  command_approvals_request: taken('requestKey', 'The approval was asked for already'),
  command_stops_partner_id_by_scope_key: taken('partnerId', 'Commands are stopped already'),
  custom_fields_key: existsAlready('custom field', 'key'),
  device_commands_one_refresh: taken('type', 'A refresh of the inventory is pending already'),
  device_commands_request: taken('requestKey', 'The command was sent already'),
  device_groups_name: taken('name', 'The organization has a group with this name already'),
  enrollment_keys_device: taken('deviceId', 'The device has an enrollment key already'),
  job_common_i6: taken('id', 'The next job of this kind waits or runs already'),
  organization_users_org_id_user_id_key: memberAlready,
  organizations_slug: taken('slug', 'An organization with this slug already exists'),
  partner_users_partner_id_user_id_key: memberAlready,
  partners_slug: existsAlready('partner', 'slug'),
  passkeys_credential_id_key: taken('credential', 'This passkey is registered already'),
  permissions_resource_action_key: taken('action', 'The permission exists already'),
  roles_name: existsAlready('role', 'name'),
  scim_users_provider_id_user_name_key: taken('userName', 'There is a user with this userName already'),
  sso_identities_provider_id_issuer_subject_key: taken('subject', 'This identity is linked to another user'),
  sso_identities_provider_id_user_id_key: taken('userId', 'The user is linked to another identity of this provider'),
  system_users_user_id_key: memberAlready,
  user_invitations_user_id_partner_id_org_id_key: taken('email', 'The user has an invitation to this scope already'),
  users_email_key: existsAlready('user', 'email'),
}
