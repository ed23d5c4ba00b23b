-- Single sign-on: the identity providers of organisations, the identities that they have vouched for, and what they keep
-- up to date through SCIM.

CREATE TABLE sso_providers (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  name varchar(255) NOT NULL,
  type text NOT NULL DEFAULT 'oidc' CHECK (type IN ('oidc', 'saml')),
  preset varchar(50),
  status text NOT NULL DEFAULT 'testing' CHECK (status IN ('active', 'inactive', 'testing')),
  issuer varchar(2048) NOT NULL,
  client_id varchar(255) NOT NULL,
  -- Sealed; null for a client that is proved by PKCE alone.
  client_secret text,
  scopes varchar(500) NOT NULL DEFAULT 'openid profile email',
  attribute_mapping jsonb NOT NULL DEFAULT '{}',
  auto_provision boolean NOT NULL DEFAULT false,
  -- A role that goes leaves a provider that can make nobody, which says so at the next sign-in.
  default_role_id uuid REFERENCES roles ON DELETE SET NULL,
  -- In the form in which they are compared: lower case, punycode, comma separated. Empty allows all.
  allowed_domains text NOT NULL DEFAULT '',
  enforce_sso boolean NOT NULL DEFAULT false,
  trust_mfa boolean NOT NULL DEFAULT false,
  scim_token_hash varchar(64) UNIQUE,
  scim_token_prefix varchar(16),
  scim_token_created_at timestamptz,
  -- The token before the last rotation, for as long as both are good.
  scim_previous_hash varchar(64) UNIQUE,
  scim_previous_expires_at timestamptz,
  scim_last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  UNIQUE (id, org_id, partner_id)
);
CREATE INDEX sso_providers_org ON sso_providers (org_id);
CREATE INDEX sso_providers_partner ON sso_providers (partner_id);
CREATE INDEX sso_providers_role ON sso_providers (default_role_id);
CREATE TRIGGER touch BEFORE UPDATE OF name, preset, status, issuer, client_id, client_secret, scopes, attribute_mapping,
  auto_provision, default_role_id, allowed_domains, enforce_sso, trust_mfa, scim_token_hash
  ON sso_providers FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('sso_providers');
-- A provider cannot be moved to another tenant.
REVOKE UPDATE ON sso_providers FROM muster_app;
GRANT UPDATE (name, preset, status, issuer, client_id, client_secret, scopes, attribute_mapping, auto_provision, default_role_id,
  allowed_domains, enforce_sso, trust_mfa, scim_token_hash, scim_token_prefix, scim_token_created_at, scim_previous_hash,
  scim_previous_expires_at, updated_at) ON sso_providers TO muster_app;

-- Who somebody is at a provider. Once it is written, the subject decides, never the e-mail address.
CREATE TABLE sso_identities (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  provider_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  issuer varchar(2048) NOT NULL,
  subject varchar(255) NOT NULL,
  -- As the provider last said it.
  email varchar(255) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_login_at timestamptz,
  FOREIGN KEY (provider_id, org_id, partner_id) REFERENCES sso_providers (id, org_id, partner_id) ON DELETE CASCADE,
  UNIQUE (provider_id, issuer, subject),
  UNIQUE (provider_id, user_id)
);
CREATE INDEX sso_identities_user ON sso_identities (user_id);
CREATE INDEX sso_identities_partner ON sso_identities (partner_id);
CALL protect_tenant_table('sso_identities');
REVOKE INSERT, UPDATE ON sso_identities FROM muster_app;

-- What a provider knows of the members that it keeps up to date.
CREATE TABLE scim_users (
  provider_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  user_name citext NOT NULL CHECK (length(user_name) <= 255),
  external_id varchar(255),
  given_name varchar(255),
  family_name varchar(255),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider_id, user_id),
  UNIQUE (provider_id, user_name),
  FOREIGN KEY (provider_id, org_id, partner_id) REFERENCES sso_providers (id, org_id, partner_id) ON DELETE CASCADE
);
CREATE INDEX scim_users_user ON scim_users (user_id);

-- Roles that a provider speaks of as groups: those that it made, and those that it has named.
CREATE TABLE scim_groups (
  provider_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  role_id uuid NOT NULL REFERENCES roles ON DELETE CASCADE,
  external_id varchar(255),
  made_here boolean NOT NULL DEFAULT false,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider_id, role_id),
  FOREIGN KEY (provider_id, org_id, partner_id) REFERENCES sso_providers (id, org_id, partner_id) ON DELETE CASCADE
);
CREATE INDEX scim_groups_role ON scim_groups (role_id);

-- A provider may put somebody into several groups; the member has the widest of their roles.
CREATE TABLE scim_group_members (
  provider_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  role_id uuid NOT NULL REFERENCES roles ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  PRIMARY KEY (provider_id, role_id, user_id),
  FOREIGN KEY (provider_id, org_id, partner_id) REFERENCES sso_providers (id, org_id, partner_id) ON DELETE CASCADE
);
CREATE INDEX scim_group_members_user ON scim_group_members (user_id, org_id);
CREATE INDEX scim_group_members_role ON scim_group_members (role_id);

-- Only provisioning, on the system's connection, uses these.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['scim_users', 'scim_groups', 'scim_group_members'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY system ON %I TO muster_system USING (true) WITH CHECK (true)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO muster_system', name);
  END LOOP;
END $$;

-- Sessions that a provider opened act in its organisation alone.
ALTER TABLE sessions
  ADD COLUMN provider_id uuid,
  -- The provider said that a second factor took part; counts while the provider is trusted with that.
  ADD COLUMN provider_mfa boolean NOT NULL DEFAULT false;
CREATE INDEX sessions_provider ON sessions (provider_id) WHERE revoked_at IS NULL AND provider_id IS NOT NULL;
