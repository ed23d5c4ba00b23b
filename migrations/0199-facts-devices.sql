-- What devices report about single files, services, values and protections, for rules that the service judges.
ALTER TABLE device_assignments DROP CONSTRAINT device_assignments_kind_check,
  ADD CONSTRAINT device_assignments_kind_check CHECK (kind IN ('rules', 'monitors', 'facts'));

-- One row per device and assigned fact.
CREATE TABLE device_facts (
  device_id uuid NOT NULL,
  -- A hash of the fact, which is in device_assignments.
  fact_key text NOT NULL CHECK (fact_key ~ '^[0-9a-f]{32}$'),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Null until the device has answered, and when it could not look.
  value jsonb,
  -- Why it could not look.
  error text,
  -- When the device first saw it so.
  observed_at timestamptz,
  PRIMARY KEY (device_id, fact_key),
  CHECK (value IS NULL OR error IS NULL),
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX device_facts_org ON device_facts (org_id);
CALL protect_tenant_table('device_facts');
