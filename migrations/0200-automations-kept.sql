-- Automations with their runs. Without an organization they belong to the whole partner.
CREATE TABLE automations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  name varchar(255) NOT NULL,
  description varchar(2000),
  -- What people chose. `status` is what holds.
  enabled boolean NOT NULL,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled', 'awaiting_approval', 'tripped')),
  status_reason text,
  -- Grows with each change of what it does.
  revision integer NOT NULL DEFAULT 1,
  trigger_type text NOT NULL CHECK (trigger_type IN ('schedule', 'event', 'webhook', 'manual')),
  event_type text,
  trigger jsonb NOT NULL,
  conditions jsonb,
  -- The values of headers are sealed.
  actions jsonb NOT NULL,
  on_failure text NOT NULL CHECK (on_failure IN ('stop', 'continue', 'notify')),
  overlap text NOT NULL CHECK (overlap IN ('skip', 'queue', 'parallel')),
  max_devices_per_run integer NOT NULL CHECK (max_devices_per_run BETWEEN 1 AND 10000),
  max_runs_per_hour integer NOT NULL CHECK (max_runs_per_hour BETWEEN 1 AND 100000),
  cooldown_seconds integer NOT NULL CHECK (cooldown_seconds BETWEEN 0 AND 2592000),
  respect_maintenance boolean NOT NULL,
  -- Of the webhook trigger, sealed.
  secret text,
  previous_secret text,
  previous_until timestamptz,
  -- In whose name it acts, and as a member of which tenant.
  owner_id uuid NOT NULL REFERENCES users,
  owned_as jsonb NOT NULL,
  next_run_at timestamptz,
  last_run_at timestamptz,
  -- Runs before this count for no limit.
  counted_from timestamptz NOT NULL DEFAULT now(),
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (id, partner_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX automations_partner ON automations (partner_id, name, id);
CREATE INDEX automations_org ON automations (org_id);
CREATE INDEX automations_due ON automations (next_run_at) WHERE status = 'enabled' AND next_run_at IS NOT NULL;
CREATE INDEX automations_event ON automations (partner_id, event_type) WHERE status = 'enabled' AND event_type IS NOT NULL;
CREATE TRIGGER touch BEFORE UPDATE OF name, description, enabled, trigger, conditions, actions, on_failure, overlap,
  max_devices_per_run, max_runs_per_hour, cooldown_seconds, respect_maintenance, secret
  ON automations FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('automations');

CREATE TABLE automation_runs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  automation_id uuid NOT NULL,
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  triggered_by text NOT NULL CHECK (triggered_by IN ('schedule', 'event', 'webhook', 'manual')),
  -- What started it. One run per key.
  trigger_key varchar(300) NOT NULL,
  status text NOT NULL DEFAULT 'queued'
    CHECK (status IN ('queued', 'running', 'completed', 'partial', 'failed', 'cancelled', 'skipped')),
  reason text,
  dry_run boolean NOT NULL DEFAULT false,
  -- What the automation does, as it was at the start.
  plan jsonb,
  -- The automations whose runs led to this one.
  chain uuid[] NOT NULL DEFAULT '{}',
  event jsonb,
  body jsonb,
  -- The devices that the trigger named; null for all that match.
  device_ids uuid[],
  requested_by uuid REFERENCES users,
  -- The step under way; 0 before the first.
  step integer NOT NULL DEFAULT 0,
  -- When a worker looks at it next; null when it has ended.
  due_at timestamptz DEFAULT now(),
  -- How often in a row a worker failed to go on with it.
  failures integer NOT NULL DEFAULT 0,
  log jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  UNIQUE (automation_id, trigger_key),
  UNIQUE (id, partner_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (automation_id, partner_id) REFERENCES automations (id, partner_id) ON DELETE CASCADE
);
CREATE INDEX automation_runs_due ON automation_runs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX automation_runs_list ON automation_runs (automation_id, created_at DESC, id);
CREATE INDEX automation_runs_open ON automation_runs (automation_id) WHERE status IN ('queued', 'running');
CREATE INDEX automation_runs_started ON automation_runs (automation_id, started_at) WHERE started_at IS NOT NULL;
CREATE INDEX automation_runs_old ON automation_runs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX automation_runs_org ON automation_runs (org_id);
CALL protect_tenant_table('automation_runs');

CREATE TABLE automation_run_devices (
  run_id uuid NOT NULL,
  device_id uuid NOT NULL REFERENCES devices ON DELETE CASCADE,
  automation_id uuid NOT NULL,
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'succeeded', 'failed', 'skipped')),
  reason text,
  started_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, device_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (run_id, partner_id) REFERENCES automation_runs (id, partner_id) ON DELETE CASCADE
);
CREATE INDEX automation_run_devices_device ON automation_run_devices (device_id, automation_id, started_at);
CALL protect_tenant_table('automation_run_devices');

CREATE TABLE automation_steps (
  run_id uuid NOT NULL,
  number integer NOT NULL,
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  type text NOT NULL,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('planned', 'running', 'succeeded', 'partial', 'failed', 'skipped')),
  started_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (run_id, number),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (run_id, partner_id) REFERENCES automation_runs (id, partner_id) ON DELETE CASCADE
);
CALL protect_tenant_table('automation_steps');

-- What a step does on each device, or once for all of them.
CREATE TABLE automation_step_devices (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  run_id uuid NOT NULL,
  step integer NOT NULL,
  -- Null for what a step does once.
  device_id uuid REFERENCES devices ON DELETE CASCADE,
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('planned', 'pending', 'running', 'succeeded', 'failed', 'skipped')),
  attempt integer NOT NULL DEFAULT 1,
  -- When it is tried, or looked at again.
  due_at timestamptz DEFAULT now(),
  began_at timestamptz,
  command_id uuid REFERENCES device_commands ON DELETE SET NULL,
  -- How what it waited for ended, until the worker of the run takes note.
  reported text CHECK (reported IN ('succeeded', 'failed')),
  error varchar(1000),
  -- What the device would get; of dry runs.
  detail jsonb,
  UNIQUE NULLS NOT DISTINCT (run_id, step, device_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (run_id, step) REFERENCES automation_steps (run_id, number) ON DELETE CASCADE,
  FOREIGN KEY (run_id, partner_id) REFERENCES automation_runs (id, partner_id) ON DELETE CASCADE
);
CREATE INDEX automation_step_devices_device ON automation_step_devices (device_id);
CREATE INDEX automation_step_devices_command ON automation_step_devices (command_id) WHERE command_id IS NOT NULL;
CALL protect_tenant_table('automation_step_devices');

-- How requests and commands of steps ended. What stores such an end adds a row here, and locks no run.
CREATE TABLE automation_reports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  run_id uuid NOT NULL,
  step integer NOT NULL,
  device_id uuid,
  attempt integer NOT NULL,
  -- Null for a success.
  error varchar(1000),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CALL protect_tenant_table('automation_reports');
-- Runs are the history of what automations did: requests only add them.
REVOKE UPDATE, DELETE ON automation_runs, automation_run_devices, automation_steps, automation_step_devices FROM muster_app;
-- A person who disables an automation lets the workers look at its runs at once.
GRANT UPDATE (due_at) ON automation_runs TO muster_app;
REVOKE SELECT, UPDATE, DELETE ON automation_reports FROM muster_app;

-- The run of an automation that led to an event, and the automations before it. The worker sets it for each transaction of a run.
ALTER TABLE events ADD COLUMN cause jsonb DEFAULT nullif(current_setting('muster.cause', true), '')::jsonb;

ALTER TABLE alerts DROP CONSTRAINT alerts_source_check, ADD CONSTRAINT alerts_source_check CHECK (source IN
  ('rule', 'monitor', 'maintenance', 'script', 'policy', 'snmp', 'patch', 'software', 'security', 'sla', 'system', 'automation'));
