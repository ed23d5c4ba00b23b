-- Keys with which programs act in somebody's name, for less than that person may do. The key itself is nowhere stored.
CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid REFERENCES partners,
  org_id uuid,
  -- Whose name: what this person may not do any more, the key may not either.
  user_id uuid NOT NULL REFERENCES users,
  scope text NOT NULL CHECK (scope IN ('system', 'partner', 'organization')),
  name varchar(255) NOT NULL,
  prefix varchar(16) NOT NULL,
  key_hash varchar(64) NOT NULL UNIQUE,
  -- The key before the last rotation, for as long as both are good.
  previous_hash varchar(64) UNIQUE,
  previous_expires_at timestamptz,
  scopes text[] NOT NULL,
  allowed_addresses text[] NOT NULL DEFAULT '{}',
  requests_per_minute integer NOT NULL DEFAULT 600 CHECK (requests_per_minute > 0),
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz,
  last_used_ip varchar(45),
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX api_keys_partner ON api_keys (partner_id, created_at DESC);
CREATE INDEX api_keys_org ON api_keys (org_id) WHERE org_id IS NOT NULL;
CREATE INDEX api_keys_user ON api_keys (user_id);
CREATE TRIGGER touch BEFORE UPDATE OF name, scopes, allowed_addresses, requests_per_minute, expires_at, key_hash, revoked_at
  ON api_keys FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
-- One's own keys, and those of the tenant that one reaches.
CREATE POLICY tenant ON api_keys TO muster_app
  USING (user_id = (SELECT caller_user()) OR org_id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner())
         OR org_id = ANY ((SELECT caller_orgs())::uuid[]) OR (SELECT caller_is_system()))
  WITH CHECK (user_id = (SELECT caller_user()) OR org_id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner())
         OR org_id = ANY ((SELECT caller_orgs())::uuid[]) OR (SELECT caller_is_system()));
CREATE POLICY system ON api_keys TO muster_system USING (true) WITH CHECK (true);
-- A key cannot be moved to another tenant or person.
GRANT SELECT, INSERT ON api_keys TO muster_app;
GRANT UPDATE (name, prefix, key_hash, previous_hash, previous_expires_at, scopes, allowed_addresses, requests_per_minute,
  expires_at, revoked_at, updated_at) ON api_keys TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO muster_system;
