-- Who exists: partners, organisations, sites, people, roles and what they may do.
-- Two database roles use these tables, neither owns them: muster_app answers requests and sees only what the
-- transaction's caller may see; muster_system runs the workers, jobs and credential look-ups.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS citext;

-- The caller of the running transaction. Exactly one of the first four is set per request; none set means no rows.
CREATE FUNCTION caller_is_system() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT current_setting('muster.scope', true) = 'system' $$;
CREATE FUNCTION caller_partner() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('muster.partner', true), '')::uuid $$;
CREATE FUNCTION caller_org() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('muster.org', true), '')::uuid $$;
CREATE FUNCTION caller_orgs() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('muster.orgs', true), '')::uuid[] $$;
-- Set beside them: who is asking, and the partner that the caller belongs to whatever its reach.
CREATE FUNCTION caller_user() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('muster.user', true), '')::uuid $$;
CREATE FUNCTION caller_home_partner() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('muster.home_partner', true), '')::uuid $$;

CREATE FUNCTION touch_updated_at() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN NEW.updated_at = now(); RETURN NEW; END $$;

-- Puts a tenant table under row-level security: the standard policy for its organisation and partner columns.
CREATE PROCEDURE protect_tenant_table(name regclass) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
  EXECUTE format($policy$
    CREATE POLICY tenant ON %s TO muster_app
      USING (org_id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner())
             OR org_id = ANY ((SELECT caller_orgs())::uuid[]) OR (SELECT caller_is_system()))
      WITH CHECK (org_id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner())
             OR org_id = ANY ((SELECT caller_orgs())::uuid[]) OR (SELECT caller_is_system()))$policy$, name);
  EXECUTE format('CREATE POLICY system ON %s TO muster_system USING (true) WITH CHECK (true)', name);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO muster_app, muster_system', name);
END $$;

CREATE TABLE partners (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name varchar(255) NOT NULL,
  slug varchar(100) NOT NULL,
  type text NOT NULL DEFAULT 'msp' CHECK (type IN ('msp', 'enterprise', 'internal')),
  plan text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'starter', 'community', 'pro', 'enterprise', 'unlimited')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'suspended', 'churned')),
  max_organizations integer CHECK (max_organizations >= 0),
  max_devices integer CHECK (max_devices >= 0),
  settings jsonb NOT NULL DEFAULT '{}',
  sso_config jsonb NOT NULL DEFAULT '{}',
  billing_email varchar(255),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE UNIQUE INDEX partners_slug ON partners (slug) WHERE deleted_at IS NULL;

CREATE TABLE organizations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  name varchar(255) NOT NULL,
  slug varchar(100) NOT NULL,
  type text NOT NULL DEFAULT 'customer' CHECK (type IN ('customer', 'internal')),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'trial', 'churned')),
  max_devices integer CHECK (max_devices >= 0),
  settings jsonb NOT NULL DEFAULT '{}',
  sso_config jsonb NOT NULL DEFAULT '{}',
  contract_start timestamptz,
  contract_end timestamptz,
  billing_contact jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  UNIQUE (id, partner_id)
);
CREATE UNIQUE INDEX organizations_slug ON organizations (partner_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX organizations_name ON organizations (partner_id, name, id) WHERE deleted_at IS NULL;

-- The pair of keys makes it impossible to file a row under one partner and another partner's organisation.
CREATE TABLE sites (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  name varchar(255) NOT NULL,
  address jsonb NOT NULL DEFAULT '{}',
  timezone varchar(50) NOT NULL DEFAULT 'UTC',
  contact jsonb NOT NULL DEFAULT '{}',
  settings jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  UNIQUE (id, org_id)
);
CREATE INDEX sites_org ON sites (org_id, name, id);
CREATE INDEX sites_partner ON sites (partner_id);

CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email citext NOT NULL UNIQUE CHECK (length(email) <= 255),
  name varchar(255) NOT NULL,
  password_hash text,
  mfa_secret text,
  mfa_enabled boolean NOT NULL DEFAULT false,
  mfa_method text CHECK (mfa_method IN ('totp', 'sms')),
  mfa_recovery_codes jsonb NOT NULL DEFAULT '[]',
  phone_number text,
  phone_verified boolean NOT NULL DEFAULT false,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'invited', 'disabled')),
  avatar_url text,
  last_login_at timestamptz,
  password_changed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE roles (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid REFERENCES partners,
  org_id uuid REFERENCES organizations,
  parent_role_id uuid REFERENCES roles,
  scope text NOT NULL CHECK (scope IN ('system', 'partner', 'organization')),
  name varchar(100) NOT NULL,
  description text,
  is_system boolean NOT NULL DEFAULT false,
  force_mfa boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (NOT is_system OR (partner_id IS NULL AND org_id IS NULL))
);
CREATE UNIQUE INDEX roles_name ON roles (scope, coalesce(partner_id, org_id), lower(name)) NULLS NOT DISTINCT;
CREATE INDEX roles_parent ON roles (parent_role_id);

CREATE TABLE permissions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  resource varchar(100) NOT NULL,
  action varchar(50) NOT NULL,
  description text NOT NULL DEFAULT '',
  UNIQUE (resource, action)
);

CREATE TABLE role_permissions (
  role_id uuid NOT NULL REFERENCES roles ON DELETE CASCADE,
  permission_id uuid NOT NULL REFERENCES permissions,
  constraints jsonb,
  PRIMARY KEY (role_id, permission_id)
);

CREATE TABLE system_users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL UNIQUE REFERENCES users,
  role_id uuid NOT NULL REFERENCES roles,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE partner_users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  user_id uuid NOT NULL REFERENCES users,
  role_id uuid NOT NULL REFERENCES roles,
  org_access text NOT NULL DEFAULT 'none' CHECK (org_access IN ('all', 'selected', 'none')),
  org_ids uuid[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (partner_id, user_id)
);
CREATE INDEX partner_users_user ON partner_users (user_id);
CREATE INDEX partner_users_role ON partner_users (role_id);

CREATE TABLE organization_users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users,
  role_id uuid NOT NULL REFERENCES roles,
  site_ids uuid[],
  device_group_ids uuid[],
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  UNIQUE (org_id, user_id)
);
CREATE INDEX organization_users_user ON organization_users (user_id);
CREATE INDEX organization_users_role ON organization_users (role_id);

-- One signed-in browser or client. token_hash is of the newest refresh token; a session outlives its access tokens.
CREATE TABLE sessions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  token_hash text NOT NULL UNIQUE,
  mfa boolean NOT NULL DEFAULT false,
  ip_address varchar(45),
  user_agent text,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_user ON sessions (user_id) WHERE revoked_at IS NULL;

-- Tenant policies that the standard procedure does not fit, each for its reason.
ALTER TABLE partners ENABLE ROW LEVEL SECURITY;
ALTER TABLE partners FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON partners TO muster_app
  USING (id = (SELECT caller_home_partner()) OR (SELECT caller_is_system()))
  WITH CHECK (id = (SELECT caller_partner()) OR (SELECT caller_is_system()));
CREATE POLICY system ON partners TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON partners TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON partners TO muster_system;

ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organizations TO muster_app
  USING (id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner())
         OR id = ANY ((SELECT caller_orgs())::uuid[]) OR (SELECT caller_is_system()))
  WITH CHECK (id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner())
         OR id = ANY ((SELECT caller_orgs())::uuid[]) OR (SELECT caller_is_system()));
CREATE POLICY system ON organizations TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON organizations TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON organizations TO muster_system;

CALL protect_tenant_table('sites');
CALL protect_tenant_table('organization_users');

-- Members of a partner are seen by the partner's own people, whatever organisations those may reach.
ALTER TABLE partner_users ENABLE ROW LEVEL SECURITY;
ALTER TABLE partner_users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON partner_users TO muster_app
  USING (partner_id = (SELECT caller_partner()) OR user_id = (SELECT caller_user()) OR (SELECT caller_is_system()))
  WITH CHECK (partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system()));
CREATE POLICY system ON partner_users TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON partner_users TO muster_app, muster_system;

ALTER TABLE system_users ENABLE ROW LEVEL SECURITY;
ALTER TABLE system_users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON system_users TO muster_app
  USING ((SELECT caller_is_system())) WITH CHECK ((SELECT caller_is_system()));
CREATE POLICY system ON system_users TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON system_users TO muster_app, muster_system;

-- A person is visible through a visible membership. The nested reads are themselves under the caller's policies.
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON users TO muster_app
  USING (id = (SELECT caller_user()) OR (SELECT caller_is_system())
         OR EXISTS (SELECT FROM partner_users m WHERE m.user_id = users.id)
         OR EXISTS (SELECT FROM organization_users m WHERE m.user_id = users.id))
  WITH CHECK (true);
CREATE POLICY system ON users TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON users TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON users TO muster_system;

ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sessions TO muster_app
  USING (user_id = (SELECT caller_user()) OR EXISTS (SELECT FROM users u WHERE u.id = sessions.user_id))
  WITH CHECK (user_id = (SELECT caller_user()));
CREATE POLICY system ON sessions TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE ON sessions TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO muster_system;

-- Built-in roles belong to nobody and are readable by everybody; only owned roles can be written.
ALTER TABLE roles ENABLE ROW LEVEL SECURITY;
ALTER TABLE roles FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON roles TO muster_app
  USING (is_system OR org_id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system()))
  WITH CHECK (NOT is_system AND (org_id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system())));
CREATE POLICY system ON roles TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON roles TO muster_app, muster_system;

ALTER TABLE role_permissions ENABLE ROW LEVEL SECURITY;
ALTER TABLE role_permissions FORCE ROW LEVEL SECURITY;
CREATE POLICY readable ON role_permissions FOR SELECT TO muster_app
  USING (EXISTS (SELECT FROM roles r WHERE r.id = role_permissions.role_id));
CREATE POLICY writable ON role_permissions TO muster_app
  USING (EXISTS (SELECT FROM roles r WHERE r.id = role_permissions.role_id AND NOT r.is_system))
  WITH CHECK (EXISTS (SELECT FROM roles r WHERE r.id = role_permissions.role_id AND NOT r.is_system));
CREATE POLICY system ON role_permissions TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON role_permissions TO muster_app, muster_system;

GRANT SELECT ON permissions TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON permissions TO muster_system;

CREATE TRIGGER touch BEFORE UPDATE ON partners FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON organizations FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON sites FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON roles FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
