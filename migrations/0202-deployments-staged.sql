-- Staged deployments: one order for many devices, batch after batch. Without an organization they belong to the whole partner.
CREATE TABLE deployments (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  name varchar(255) NOT NULL,
  description varchar(2000),
  ordered jsonb NOT NULL,
  target_set_id uuid NOT NULL UNIQUE,
  strategy jsonb NOT NULL,
  status text NOT NULL DEFAULT 'draft'
    CHECK (status IN ('draft', 'ready', 'awaiting_approval', 'scheduled', 'running', 'paused', 'halted', 'completed', 'cancelled')),
  reason text,
  -- Counts the changes of what would be started. An approval names it.
  revision integer NOT NULL DEFAULT 1,
  start_at timestamptz,
  deadline_at timestamptz,
  -- What devices are sent, as it was when it was started.
  work jsonb,
  -- In whose name devices are sent the order, and in which place.
  owner_id uuid REFERENCES users,
  owned_as jsonb,
  -- Where it goes back to if the approval is refused.
  status_before text,
  current_batch integer NOT NULL DEFAULT 0,
  -- When the engine has to look at it again at the latest; null while it does not run.
  next_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (id, partner_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (target_set_id, partner_id) REFERENCES target_sets (id, partner_id)
);
CREATE INDEX deployments_partner ON deployments (partner_id, created_at DESC, id);
CREATE INDEX deployments_org ON deployments (org_id, created_at DESC, id);
CREATE INDEX deployments_due ON deployments (next_at) WHERE next_at IS NOT NULL;
CREATE TRIGGER touch BEFORE UPDATE ON deployments FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('deployments');
-- For the partner's own people.
CREATE POLICY of_partner ON deployments FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()) AND (SELECT caller_org()) IS NULL);

CREATE TABLE deployment_batches (
  deployment_id uuid NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  partner_id uuid NOT NULL,
  org_id uuid,
  devices integer NOT NULL,
  began_at timestamptz,
  -- When all its devices had ended or were held for the first time.
  settled_at timestamptz,
  ended_at timestamptz,
  gates jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (deployment_id, number),
  FOREIGN KEY (deployment_id, partner_id) REFERENCES deployments (id, partner_id) ON DELETE CASCADE
);
CREATE INDEX deployment_batches_org ON deployment_batches (org_id);
CALL protect_tenant_table('deployment_batches');
CREATE POLICY of_partner ON deployment_batches FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()) AND (SELECT caller_org()) IS NULL);

CREATE TABLE deployment_devices (
  deployment_id uuid NOT NULL,
  device_id uuid NOT NULL REFERENCES devices ON DELETE CASCADE,
  partner_id uuid NOT NULL,
  -- Of the device when the batches were drawn.
  org_id uuid NOT NULL,
  batch integer NOT NULL,
  -- Its turn within the deployment.
  place integer NOT NULL,
  -- `queued`: it has a command that has not ended.
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'held', 'queued', 'succeeded', 'failed', 'skipped', 'cancelled', 'expired')),
  reason text,
  attempt integer NOT NULL DEFAULT 0,
  command_id uuid UNIQUE,
  issued_at timestamptz,
  exit_code integer,
  error text,
  -- It is not sent the order before.
  not_before timestamptz,
  -- A failure that a person accepted by resuming.
  accepted boolean NOT NULL DEFAULT false,
  -- The engine has not seen the end of its command yet.
  unread boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (deployment_id, device_id),
  FOREIGN KEY (deployment_id, partner_id) REFERENCES deployments (id, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX deployment_devices_waiting ON deployment_devices (deployment_id, batch, place) WHERE status IN ('pending', 'held');
CREATE INDEX deployment_devices_counted ON deployment_devices (deployment_id, batch, status);
CREATE INDEX deployment_devices_unread ON deployment_devices (deployment_id) WHERE unread;
CREATE INDEX deployment_devices_device ON deployment_devices (device_id);
CREATE INDEX deployment_devices_org ON deployment_devices (org_id);
CREATE TRIGGER touch BEFORE UPDATE ON deployment_devices FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('deployment_devices');
