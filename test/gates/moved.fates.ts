// What happens to a device's rows when it moves to another organization of its partner. moved.test.ts requires an entry
// for every table that refers to devices or organizations.

/** Rows move with the device, stay with the old organization, or are deleted at the move; some tables have none. */
export type Fate = 'moves' | 'stays' | 'ends' | 'of no device'

export const fates: Readonly<Record<string, Fate>> = {
  access_review_items: 'of no device',
  access_reviews: 'of no device',
  agent_version_pins: 'of no device',
  alert_group_members: 'of no device',
  alert_group_steps: 'of no device',
  alert_groups: 'of no device',
  alert_messages: 'of no device',
  alert_policies: 'of no device',
  alert_rules: 'of no device',
  alert_states: 'moves',
  alert_templates: 'of no device',
  alert_timeline: 'of no device',
  // The old organization keeps its history; open alerts are resolved.
  alerts: 'stays',
  alert_channel_uses: 'of no device',
  alert_channels: 'of no device',
  api_keys: 'of no device',
  // Members of the old organization can still read what its people did.
  audit_logs: 'stays',
  automation_reports: 'stays',
  // What an automation did on the device is part of its run.
  automation_run_devices: 'stays',
  automation_runs: 'of no device',
  automation_step_devices: 'stays',
  automation_steps: 'of no device',
  automations: 'of no device',
  automation_works: 'of no device',
  command_approvals: 'stays',
  custom_fields: 'of no device',
  deliveries: 'of no device',
  delivery_lanes: 'of no device',
  deployment_batches: 'of no device',
  // The deployment of the old organization reaches the device no more.
  deployment_devices: 'stays',
  deployments: 'of no device',
  device_assignments: 'moves',
  // Scripts, environments and output belong to the organization that sent them.
  device_commands: 'stays',
  device_duplicates: 'ends',
  device_facts: 'moves',
  device_group_log: 'stays',
  device_group_members: 'ends',
  device_groups: 'of no device',
  // Inventory and metrics describe the machine.
  device_inventory: 'moves',
  device_inventory_log: 'moves',
  device_metrics: 'moves',
  device_metrics_five_minutes: 'moves',
  device_metrics_hours: 'moves',
  // What follows it looks where the device is.
  device_changes: 'stays',
  device_policies: 'of no device',
  device_policy_days: 'of no device',
  device_policy_enforcements: 'of no device',
  // The exception is about the machine.
  device_policy_exceptions: 'moves',
  device_policy_filters: 'of no device',
  // An evaluation looks where the device is.
  device_policy_marks: 'stays',
  device_policy_remediations: 'moves',
  device_policy_results: 'moves',
  device_policy_sets: 'of no device',
  device_policy_states: 'moves',
  // What the old organization was told.
  device_policy_transitions: 'stays',
  // Counts the devices that a user changed lately; has no tenant columns and is deleted after minutes.
  device_reach: 'stays',
  device_settings: 'moves',
  device_state: 'moves',
  device_updates: 'moves',
  device_watches: 'moves',
  devices: 'moves',
  enrollment_codes: 'of no device',
  // The enrollment key that was created for this device.
  enrollment_keys: 'ends',
  event_failures: 'stays',
  // An event says where the device was at that time.
  events: 'stays',
  files: 'of no device',
  monitor_alerts: 'of no device',
  // The monitor keeps what was found. A job chooses another probe.
  monitor_probes: 'stays',
  monitor_results: 'stays',
  monitor_rollups: 'of no device',
  monitor_spans: 'of no device',
  // A device that is chosen to check stays chosen, but devices of other organizations do not check.
  monitors: 'stays',
  mail_outbox: 'of no device',
  maintenance_occurrences: 'stays',
  maintenance_windows: 'of no device',
  notifications: 'of no device',
  organization_users: 'of no device',
  organizations: 'of no device',
  partners: 'of no device',
  // What allows the scripts of a plan, which belongs to the organization or partner that made it.
  plan_grants: 'stays',
  plan_reach: 'of no device',
  roles: 'of no device',
  saved_filters: 'of no device',
  scim_group_members: 'of no device',
  scim_groups: 'of no device',
  scim_users: 'of no device',
  script_categories: 'of no device',
  // As its command.
  script_executions: 'stays',
  script_tags: 'of no device',
  script_versions: 'of no device',
  scripts: 'of no device',
  secrets: 'of no device',
  sessions: 'of no device',
  sites: 'of no device',
  sso_identities: 'of no device',
  sso_providers: 'of no device',
  target_filter_members: 'moves',
  target_sets: 'stays',
  user_invitations: 'of no device',
  webhooks: 'of no device',
}
