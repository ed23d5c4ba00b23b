-- How far each device is with the version that it was last offered, and why it does not run it yet.
CREATE TABLE device_updates (
  device_id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  version varchar(64) NOT NULL,
  -- What was offered last and when it will be offered again. Without a rollout the device reported on its own.
  rollout_id uuid,
  offers integer NOT NULL DEFAULT 0,
  offered_at timestamptz,
  next_offer_at timestamptz,
  -- What the device said.
  state text NOT NULL DEFAULT 'offered' CHECK (state IN
    ('offered', 'downloading', 'verifying', 'installing', 'restarting', 'confirmed', 'rolled_back', 'refused')),
  reason varchar(64),
  error varchar(2000),
  from_version varchar(64),
  reported_at timestamptz,
  -- Versions that the machine will not try again.
  barred text[] NOT NULL DEFAULT '{}',
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX device_updates_rollout ON device_updates (rollout_id, state) WHERE rollout_id IS NOT NULL;

CALL protect_tenant_table('device_updates');
REVOKE INSERT, UPDATE, DELETE ON device_updates FROM muster_app;
