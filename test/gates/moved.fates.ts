// What happens to a device's rows when it moves to another organization of its partner. moved.test.ts requires an entry
// for every table that refers to devices or organizations.

/** Rows move with the device, stay with the old organization, or are deleted at the move; some tables have none. */
export type Fate = 'moves' | 'stays' | 'ends' | 'of no device'

export const fates: Readonly<Record<string, Fate>> = {
  access_review_items: 'of no device',
  access_reviews: 'of no device',
  agent_version_pins: 'of no device',
  api_keys: 'of no device',
  // Members of the old organization can still read what its people did.
  audit_logs: 'stays',
  command_approvals: 'stays',
  custom_fields: 'of no device',
  // Scripts, environments and output belong to the organization that sent them.
  device_commands: 'stays',
  device_duplicates: 'ends',
  device_group_log: 'stays',
  device_group_members: 'ends',
  device_groups: 'of no device',
  // Inventory and metrics describe the machine.
  device_inventory: 'moves',
  device_inventory_log: 'moves',
  device_metrics: 'moves',
  device_metrics_five_minutes: 'moves',
  device_metrics_hours: 'moves',
  // Counts the devices that a user changed lately; has no tenant columns and is deleted after minutes.
  device_reach: 'stays',
  device_state: 'moves',
  device_updates: 'moves',
  devices: 'moves',
  enrollment_codes: 'of no device',
  // The enrollment key that was created for this device.
  enrollment_keys: 'ends',
  files: 'of no device',
  mail_outbox: 'of no device',
  organization_users: 'of no device',
  organizations: 'of no device',
  partners: 'of no device',
  roles: 'of no device',
  saved_filters: 'of no device',
  scim_group_members: 'of no device',
  scim_groups: 'of no device',
  scim_users: 'of no device',
  sessions: 'of no device',
  sites: 'of no device',
  sso_identities: 'of no device',
  sso_providers: 'of no device',
  user_invitations: 'of no device',
}
