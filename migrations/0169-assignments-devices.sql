-- The checks that agents repeat for the service: one row per device and kind.
CREATE SEQUENCE assignment_revisions;

CREATE TABLE device_assignments (
  device_id uuid NOT NULL,
  -- Who assigns the checks: rules of alerts, or monitors.
  kind text NOT NULL CHECK (kind IN ('rules', 'monitors')),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Empty when the device has no checks of the kind any more: the agent has to be told.
  items jsonb NOT NULL,
  revision bigint NOT NULL DEFAULT nextval('assignment_revisions'),
  -- Confirmed by the agent.
  applied_revision bigint NOT NULL DEFAULT 0,
  -- When to send it to the connected device. Null: confirmed, or sent when the device connects.
  due_at timestamptz DEFAULT now(),
  tries smallint NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (device_id, kind),
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX device_assignments_due ON device_assignments (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX device_assignments_org ON device_assignments (org_id);
CALL protect_tenant_table('device_assignments');
GRANT USAGE ON SEQUENCE assignment_revisions TO muster_app, muster_system;
