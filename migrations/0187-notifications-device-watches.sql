-- People who are notified once when a device is online again.
CREATE TABLE device_watches (
  device_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (device_id, user_id),
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX device_watches_user ON device_watches (user_id);
CREATE INDEX device_watches_org ON device_watches (org_id);
CALL protect_tenant_table('device_watches');
-- Of the tenant's members, each sees and changes its own.
CREATE POLICY own ON device_watches AS RESTRICTIVE TO muster_app
  USING (user_id = (SELECT caller_user())) WITH CHECK (user_id = (SELECT caller_user()));
