-- Who is told about alerts: policies, the groups of alerts that one message is about, and the messages.
CREATE TABLE alert_policies (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  -- Null: the policy applies to the whole partner, behind those of the organization.
  org_id uuid,
  name varchar(255) NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  position integer NOT NULL DEFAULT 0,
  match jsonb NOT NULL DEFAULT '{}',
  group_by text[] NOT NULL DEFAULT '{organization,rule}',
  group_wait_seconds integer NOT NULL DEFAULT 30 CHECK (group_wait_seconds >= 1),
  group_interval_seconds integer NOT NULL DEFAULT 300 CHECK (group_interval_seconds >= 5),
  repeat_interval_seconds integer NOT NULL DEFAULT 14400,
  steps jsonb NOT NULL DEFAULT '[]',
  loops integer NOT NULL DEFAULT 0 CHECK (loops BETWEEN 0 AND 5),
  continues boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX alert_policies_partner ON alert_policies (partner_id, position, id);
CREATE TRIGGER touch BEFORE UPDATE ON alert_policies FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- Alerts that one message is about. A person's action on one of them stops the steps, and later alerts begin another group.
CREATE TABLE alert_groups (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  -- Null: no policy matched, and people are told in the console.
  policy_id uuid,
  key varchar(500) NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT now(),
  stopped_at timestamptz,
  closed_at timestamptz,
  -- The last message, and when the next ones are due: about new alerts, of the next step, a repetition.
  notified_at timestamptz,
  notify_at timestamptz,
  step_at timestamptz,
  repeat_at timestamptz,
  due_at timestamptz GENERATED ALWAYS AS (least(notify_at, step_at, repeat_at)) STORED,
  step integer NOT NULL DEFAULT 0,
  loop integer NOT NULL DEFAULT 0,
  loop_began_at timestamptz NOT NULL DEFAULT now(),
  messages integer NOT NULL DEFAULT 0,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE UNIQUE INDEX alert_groups_open ON alert_groups (partner_id, coalesce(policy_id, partner_id), key)
  WHERE closed_at IS NULL AND stopped_at IS NULL;
CREATE INDEX alert_groups_due ON alert_groups (due_at) WHERE closed_at IS NULL AND due_at IS NOT NULL;

CREATE TABLE alert_group_members (
  group_id uuid NOT NULL REFERENCES alert_groups ON DELETE CASCADE,
  alert_id uuid NOT NULL REFERENCES alerts ON DELETE CASCADE,
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  -- The last message about this alert said that it flaps. No other follows until it is stable.
  told_flapping boolean NOT NULL DEFAULT false,
  PRIMARY KEY (group_id, alert_id)
);
CREATE INDEX alert_group_members_alert ON alert_group_members (alert_id);

-- Each step of a group is queued once.
CREATE TABLE alert_group_steps (
  group_id uuid NOT NULL REFERENCES alert_groups ON DELETE CASCADE,
  loop integer NOT NULL,
  step integer NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid,
  queued_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (group_id, loop, step)
);

-- Messages to channels. What is held leaves together, as a digest.
CREATE TABLE alert_messages (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL,
  org_id uuid,
  group_id uuid NOT NULL REFERENCES alert_groups ON DELETE CASCADE,
  channel_id uuid NOT NULL,
  key varchar(300) NOT NULL,
  kind text NOT NULL CHECK (kind IN ('alert', 'escalation', 'resolved', 'repeat')),
  step integer,
  title varchar(500) NOT NULL,
  severity text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low', 'info')),
  at timestamptz NOT NULL DEFAULT now(),
  held boolean NOT NULL DEFAULT false,
  -- The first of a digest counts for all of it.
  digest boolean NOT NULL DEFAULT false,
  failure_seen boolean NOT NULL DEFAULT false,
  UNIQUE (channel_id, key)
);
CREATE INDEX alert_messages_recent ON alert_messages (channel_id, at);
CREATE INDEX alert_messages_group ON alert_messages (group_id);
CREATE INDEX alert_messages_held ON alert_messages (channel_id, at) WHERE held;

CALL protect_tenant_table('alert_policies');
CALL protect_tenant_table('alert_groups');
CALL protect_tenant_table('alert_group_members');
CALL protect_tenant_table('alert_group_steps');
CALL protect_tenant_table('alert_messages');
-- What applies to a whole partner is read, not written, by the members of its organizations.
CREATE POLICY of_partner ON alert_policies FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));
REVOKE INSERT, UPDATE, DELETE ON alert_groups, alert_group_members, alert_group_steps, alert_messages FROM muster_app;
