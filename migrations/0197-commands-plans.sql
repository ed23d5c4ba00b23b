-- The place of a command in the plan that sent it, such as a deployment; null for commands of people.
ALTER TABLE device_commands ADD COLUMN origin jsonb;

-- What allows the scripts of a plan. Admin signs it when a person starts the plan; workers send it with the commands.
CREATE TABLE plan_grants (
  id uuid PRIMARY KEY,
  partner_id uuid NOT NULL REFERENCES partners,
  -- Of the plan; null for plans of the whole partner.
  org_id uuid,
  kind text NOT NULL CHECK (kind IN ('deployment', 'automation', 'policy')),
  plan_id uuid NOT NULL,
  -- Hash of what is allowed: script, language, account, time, arguments.
  work text NOT NULL,
  -- Null for all devices of the organizations that it names.
  device_ids uuid[],
  org_ids uuid[],
  script_grant text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX plan_grants_plan ON plan_grants (plan_id, work);
CREATE INDEX plan_grants_expired ON plan_grants (expires_at);
CALL protect_tenant_table('plan_grants');

-- How many devices a person reached with plans, which count toward the blast radius when they start.
CREATE TABLE plan_reach (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  plan_id uuid NOT NULL,
  devices integer NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, plan_id)
);
ALTER TABLE plan_reach ENABLE ROW LEVEL SECURITY;
ALTER TABLE plan_reach FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON plan_reach FOR SELECT TO muster_app USING (user_id = (SELECT caller_user()));
CREATE POLICY system ON plan_reach TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT ON plan_reach TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON plan_reach TO muster_system;

-- What a plan may do, whose start waits for a second person. Its commands have their own times.
ALTER TABLE command_approvals ADD COLUMN plan jsonb,
  ALTER COLUMN timeout_ms DROP NOT NULL,
  ALTER COLUMN expires_in_seconds DROP NOT NULL,
  ADD CHECK (plan IS NOT NULL OR timeout_ms IS NOT NULL AND expires_in_seconds IS NOT NULL),
  DROP CONSTRAINT command_approvals_status_check,
  ADD CHECK (status IN ('pending', 'approved', 'refused', 'withdrawn', 'expired'));
CREATE INDEX command_approvals_open_plans ON command_approvals (expires_at) WHERE status = 'pending' AND plan IS NOT NULL;
