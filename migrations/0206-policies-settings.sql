-- Settings of devices that configuration policies make, as devices follow them now. Only devices that ever had one have a row.
CREATE TABLE device_settings (
  device_id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Null: no policy sets it.
  heartbeat_seconds integer CHECK (heartbeat_seconds BETWEEN 5 AND 3600),
  auto_update boolean,
  scripts_allowed boolean,
  -- What the device has again when no policy sets it any more.
  own_auto_update boolean NOT NULL,
  -- When the agent is to be told; null if it was.
  due_at timestamptz DEFAULT now(),
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX device_settings_due ON device_settings (due_at) WHERE due_at IS NOT NULL;
CALL protect_tenant_table('device_settings');
REVOKE INSERT, UPDATE, DELETE ON device_settings FROM muster_app;

ALTER TABLE device_policies ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';
