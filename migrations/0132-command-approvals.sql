-- The second person: a command that reaches far waits until somebody else has approved it.
CREATE TABLE command_approvals (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- Of all its devices, where they have it in common.
  org_id uuid,
  partner_id uuid REFERENCES partners,
  requested_by uuid NOT NULL REFERENCES users,
  -- In which place they asked: scope, partner and organisation.
  requested_as jsonb NOT NULL,
  type text NOT NULL,
  payload jsonb NOT NULL,
  timeout_ms integer NOT NULL,
  expires_in_seconds integer NOT NULL,
  device_ids uuid[] NOT NULL,
  -- Of type, payload, times and devices: what is approved is what was shown.
  hash text NOT NULL,
  request_key text,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'refused', 'withdrawn')),
  decided_by uuid,
  decided_at timestamptz,
  reason varchar(500),
  batch_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX command_approvals_partner ON command_approvals (partner_id, created_at DESC, id);
CREATE UNIQUE INDEX command_approvals_request ON command_approvals (request_key) WHERE request_key IS NOT NULL;
CALL protect_tenant_table('command_approvals');
-- Whoever may act for some organisations only asks for devices of several of them.
CREATE POLICY own ON command_approvals TO muster_app
  USING (requested_by = (SELECT caller_user()) AND partner_id = (SELECT caller_home_partner()) AND org_id IS NULL)
  WITH CHECK (requested_by = (SELECT caller_user()) AND partner_id = (SELECT caller_home_partner()) AND org_id IS NULL);

-- Devices that somebody changed by system tools, which leave no command: counted with the commands of the last minutes.
CREATE TABLE device_reach (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  device_id uuid NOT NULL REFERENCES devices ON DELETE CASCADE,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, device_id)
);
ALTER TABLE device_reach ENABLE ROW LEVEL SECURITY;
ALTER TABLE device_reach FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON device_reach FOR SELECT TO muster_app USING (user_id = (SELECT caller_user()));
CREATE POLICY system ON device_reach TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT ON device_reach TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON device_reach TO muster_system;
