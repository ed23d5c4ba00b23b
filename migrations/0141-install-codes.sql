-- Short codes that stand for an enrolment key for a while, so that a person can type one.
ALTER TABLE enrollment_keys ADD CONSTRAINT enrollment_keys_id_org UNIQUE (id, org_id);
CREATE TABLE enrollment_codes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  key_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  code_hash varchar(64) NOT NULL UNIQUE,
  usage_count integer NOT NULL DEFAULT 0,
  max_usage integer CHECK (max_usage > 0),
  expires_at timestamptz NOT NULL,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (key_id, org_id) REFERENCES enrollment_keys (id, org_id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  CHECK (max_usage IS NULL OR usage_count <= max_usage)
);
CREATE INDEX enrollment_codes_key ON enrollment_codes (key_id);
CALL protect_tenant_table('enrollment_codes');
