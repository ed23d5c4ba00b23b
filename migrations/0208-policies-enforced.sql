-- Policies that repair what their devices do not keep.
ALTER TABLE device_policies
  ADD COLUMN max_remediations_per_hour integer NOT NULL DEFAULT 100 CHECK (max_remediations_per_hour BETWEEN 1 AND 10000),
  DROP CONSTRAINT device_policies_status_check,
  ADD CONSTRAINT device_policies_status_check CHECK (status IN ('draft', 'active', 'inactive', 'awaiting_approval')),
  DROP CONSTRAINT device_policies_mode_check,
  ADD CONSTRAINT device_policies_mode_check CHECK (mode IN ('monitor', 'warn', 'enforce'));

-- What an enforcing policy was allowed to do, in whose name, and whether it does it.
CREATE TABLE device_policy_enforcements (
  policy_id uuid PRIMARY KEY,
  partner_id uuid NOT NULL,
  org_id uuid,
  owner_id uuid NOT NULL REFERENCES users,
  owned_as jsonb NOT NULL,
  -- The remediations of its rules, by key.
  works jsonb NOT NULL,
  held text CHECK (held IN ('mass_change', 'owner_not_permitted')),
  -- Violations before it do not count as a sudden change.
  released_at timestamptz NOT NULL DEFAULT now(),
  -- The remediations of the last hour.
  issued_at timestamptz[] NOT NULL DEFAULT '{}',
  FOREIGN KEY (policy_id, partner_id) REFERENCES device_policies (id, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CALL protect_tenant_table('device_policy_enforcements');
CREATE POLICY of_partner ON device_policy_enforcements FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));

-- How the repair of a violation stands. The row goes with the violation.
CREATE TABLE device_policy_remediations (
  policy_id uuid NOT NULL,
  device_id uuid NOT NULL,
  rule_key varchar(100) NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Names the tries, so that a later violation has its own.
  run_id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Of the policy. An edited one begins again.
  revision integer NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'held', 'remediation_failed')),
  attempts integer NOT NULL DEFAULT 0,
  next_at timestamptz DEFAULT now(),
  reason varchar(100),
  command_id uuid,
  -- A deployment that does the first try, for which the others wait.
  deployment_id uuid,
  PRIMARY KEY (policy_id, device_id, rule_key),
  FOREIGN KEY (policy_id, partner_id) REFERENCES device_policies (id, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX device_policy_remediations_due ON device_policy_remediations (policy_id, next_at);
CREATE INDEX device_policy_remediations_device ON device_policy_remediations (device_id);
CALL protect_tenant_table('device_policy_remediations');
REVOKE INSERT, UPDATE, DELETE ON device_policy_remediations FROM muster_app;
