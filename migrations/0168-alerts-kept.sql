-- Alerts, the rules that raise them, and what happened to each.
CREATE TABLE alert_rules (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  -- Null: the rule applies to the whole partner.
  org_id uuid,
  name varchar(255) NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  severity text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low', 'info')),
  target_set_id uuid NOT NULL,
  conditions jsonb NOT NULL,
  -- The kind of the conditions: metric for a tree of metrics.
  kind text NOT NULL,
  for_seconds integer NOT NULL DEFAULT 0,
  clear_for_seconds integer NOT NULL DEFAULT 0,
  auto_resolve boolean NOT NULL DEFAULT true,
  reopen_seconds integer NOT NULL DEFAULT 300,
  title varchar(1000),
  message varchar(4000),
  channel_ids uuid[] NOT NULL DEFAULT '{}',
  policy_id uuid,
  depends_on_rule_ids uuid[] NOT NULL DEFAULT '{}',
  snoozed_until timestamptz,
  template_id uuid,
  parameters jsonb NOT NULL DEFAULT '{}',
  -- Raised by each change of what the rule asks. Transitions of older versions are dropped.
  version integer NOT NULL DEFAULT 1,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX alert_rules_partner ON alert_rules (partner_id, name, id);
CREATE INDEX alert_rules_org ON alert_rules (org_id, name, id);
CREATE INDEX alert_rules_kind ON alert_rules (kind) WHERE enabled;
CREATE INDEX alert_rules_changed ON alert_rules (updated_at);
CREATE INDEX alert_rules_dependencies ON alert_rules USING gin (depends_on_rule_ids);
CREATE TRIGGER touch BEFORE UPDATE ON alert_rules FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE alerts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  site_id uuid,
  -- The history stays with the organization when the device moves or is deleted.
  device_id uuid REFERENCES devices ON DELETE SET NULL,
  rule_id uuid,
  rule_version integer,
  monitor_id uuid,
  source text NOT NULL CHECK (source IN ('rule', 'monitor', 'maintenance', 'script', 'policy', 'snmp', 'patch', 'software', 'security', 'sla', 'system')),
  -- What the alert is about, within its source.
  key varchar(300) NOT NULL,
  severity text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low', 'info')),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'acknowledged', 'suppressed', 'resolved')),
  title varchar(500) NOT NULL,
  message text NOT NULL,
  context jsonb NOT NULL DEFAULT '{}',
  -- Whether the condition is true. An alert that was resolved by hand while it is true stays quiet.
  holds boolean NOT NULL DEFAULT true,
  auto_resolve boolean NOT NULL DEFAULT true,
  reopen_seconds integer NOT NULL DEFAULT 300,
  opened_at timestamptz NOT NULL DEFAULT now(),
  last_changed_at timestamptz NOT NULL DEFAULT now(),
  acknowledged_at timestamptz,
  acknowledged_by uuid,
  acknowledged_until timestamptz,
  resolved_at timestamptz,
  resolved_by uuid,
  resolution text CHECK (resolution IN ('auto', 'manual', 'rule_changed', 'rule_disabled', 'rule_deleted', 'device_removed')),
  suppressed_until timestamptz,
  suppression_kind text CHECK (suppression_kind IN ('maintenance', 'dependency', 'user', 'rule')),
  suppression_id uuid,
  suppression_reason varchar(500),
  -- When the cause of a suppression was seen to have ended. What holds a while after it becomes active.
  released_at timestamptz,
  -- Who is told: these channels at once, and this policy regardless of what it matches.
  channel_ids uuid[] NOT NULL DEFAULT '{}',
  policy_id uuid,
  occurrences integer NOT NULL DEFAULT 1,
  flapping boolean NOT NULL DEFAULT false,
  group_id uuid,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  CHECK ((status = 'resolved') = (resolution IS NOT NULL)),
  CHECK ((status = 'suppressed') = (suppression_kind IS NOT NULL))
);
CREATE UNIQUE INDEX alerts_open ON alerts (source, key) WHERE status <> 'resolved';
CREATE INDEX alerts_key ON alerts (source, key, opened_at DESC);
CREATE INDEX alerts_partner ON alerts (partner_id, opened_at DESC, id);
CREATE INDEX alerts_org ON alerts (org_id, opened_at DESC, id);
CREATE INDEX alerts_device ON alerts (device_id, opened_at DESC) WHERE device_id IS NOT NULL;
CREATE INDEX alerts_rule ON alerts (rule_id, status) WHERE rule_id IS NOT NULL;
CREATE INDEX alerts_group ON alerts (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX alerts_unresolved ON alerts (device_id) WHERE status <> 'resolved';
CREATE INDEX alerts_resolved ON alerts (resolved_at) WHERE status = 'resolved';

-- What happened to an alert, in order.
CREATE TABLE alert_timeline (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  alert_id uuid NOT NULL REFERENCES alerts ON DELETE CASCADE,
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind text NOT NULL CHECK (kind IN ('opened', 'repeated', 'reopened', 'acknowledged', 'suppressed', 'activated', 'resolved', 'cleared', 'message')),
  actor_id uuid,
  actor_name varchar(255),
  note varchar(2000),
  details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX alert_timeline_alert ON alert_timeline (alert_id, at, id);

-- Devices for which the condition of a rule is not plainly false. Written by transitions alone.
CREATE TABLE alert_states (
  rule_id uuid NOT NULL REFERENCES alert_rules ON DELETE CASCADE,
  device_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  phase text NOT NULL CHECK (phase IN ('pending', 'firing', 'clearing')),
  since timestamptz NOT NULL,
  PRIMARY KEY (rule_id, device_id),
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX alert_states_device ON alert_states (device_id);

CALL protect_tenant_table('alert_rules');
CALL protect_tenant_table('alerts');
CALL protect_tenant_table('alert_timeline');
CALL protect_tenant_table('alert_states');
-- What applies to a whole partner is read, not written, by the members of its organizations.
CREATE POLICY of_partner ON alert_rules FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));

-- Workers ask every few seconds which devices changed, to learn their rules again.
CREATE INDEX devices_changed ON devices (updated_at);
-- A cursor per duration slides over the devices that went offline. Heartbeats change neither column.
CREATE INDEX device_state_offline ON device_state (status_at) WHERE status = 'offline';
