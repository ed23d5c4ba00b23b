-- Devices that are not sure to be the machine that they say: two machines with one key, one machine that enrolled twice.

ALTER TABLE devices
  ADD COLUMN quarantined_at timestamptz,
  ADD COLUMN quarantine_reason varchar(500);

-- Devices of an organisation that say they are the same machine; a row for each direction.
CREATE TABLE device_duplicates (
  device_id uuid NOT NULL,
  twin_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  noticed_at timestamptz NOT NULL DEFAULT now(),
  -- A person has said that they are two machines.
  dismissed_at timestamptz,
  dismissed_by uuid,
  PRIMARY KEY (device_id, twin_id),
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (twin_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX device_duplicates_twin ON device_duplicates (twin_id);
CALL protect_tenant_table('device_duplicates');
