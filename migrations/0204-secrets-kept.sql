-- Secrets of scripts. Without an organization they belong to the whole partner; the nearest of one name counts.
CREATE TABLE secrets (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  site_id uuid CHECK (site_id IS NULL OR org_id IS NOT NULL),
  name varchar(128) NOT NULL,
  description varchar(2000),
  -- The value. No answer contains it.
  sealed text NOT NULL,
  -- Of a secret of the whole partner: its organizations see the name and may use it.
  shared_with_organizations boolean NOT NULL DEFAULT false CHECK (NOT shared_with_organizations OR org_id IS NULL),
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (site_id, org_id) REFERENCES sites (id, org_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX secrets_name ON secrets (partner_id, name, coalesce(org_id, partner_id), coalesce(site_id, partner_id));
CREATE INDEX secrets_org ON secrets (org_id);
CREATE INDEX secrets_site ON secrets (site_id);
CREATE TRIGGER touch BEFORE UPDATE ON secrets FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('secrets');
CREATE POLICY of_partner ON secrets FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner())
    AND (shared_with_organizations OR (SELECT caller_org()) IS NULL));

-- The secrets that a script gets, by variable, as they were found when it was issued.
ALTER TABLE device_commands ADD COLUMN secret_ids jsonb;
-- To which secrets are sealed: a public key of the running agent, signed by the device.
ALTER TABLE devices ADD COLUMN sealing_key text;
