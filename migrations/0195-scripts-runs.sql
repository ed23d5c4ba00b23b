-- Runs of kept scripts. Status and output are those of their commands.
CREATE TABLE script_executions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid NOT NULL,
  device_id uuid NOT NULL REFERENCES devices ON DELETE CASCADE,
  script_id uuid NOT NULL,
  version_id uuid NOT NULL,
  version integer NOT NULL,
  sha256 text NOT NULL,
  command_id uuid NOT NULL UNIQUE REFERENCES device_commands ON DELETE CASCADE,
  batch_id uuid,
  -- Secrets as their names.
  parameters jsonb NOT NULL,
  -- Null until it has ended, and for runs that were canceled or expired.
  severity text CHECK (severity IN ('success', 'info', 'warning', 'error', 'critical')),
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (script_id, partner_id) REFERENCES scripts (id, partner_id)
);
CREATE INDEX script_executions_script ON script_executions (script_id, created_at DESC, id);
CREATE INDEX script_executions_device ON script_executions (device_id);
CALL protect_tenant_table('script_executions');

-- What a requested command does the work of, and the variables of single devices. Both are bound by the hash.
ALTER TABLE command_approvals ADD COLUMN subject jsonb, ADD COLUMN device_env jsonb;
