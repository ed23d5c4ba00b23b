-- Scripts with their versions, categories and tags. Without an organization they belong to the whole partner.
CREATE TABLE script_categories (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  parent_id uuid,
  name varchar(255) NOT NULL,
  description varchar(2000),
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (id, partner_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (parent_id, partner_id) REFERENCES script_categories (id, partner_id)
);
CREATE INDEX script_categories_partner ON script_categories (partner_id, name, id);
CREATE INDEX script_categories_org ON script_categories (org_id);
CREATE INDEX script_categories_parent ON script_categories (parent_id);
CREATE TRIGGER touch BEFORE UPDATE ON script_categories FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('script_categories');
-- For the partner's own people. Organizations see nothing of the whole partner but the scripts shared with them.
CREATE POLICY of_partner ON script_categories FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()) AND (SELECT caller_org()) IS NULL);

CREATE TABLE script_tags (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  name varchar(100) NOT NULL,
  description varchar(2000),
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE UNIQUE INDEX script_tags_name ON script_tags (partner_id, coalesce(org_id, partner_id), name);
CREATE INDEX script_tags_org ON script_tags (org_id);
CALL protect_tenant_table('script_tags');
CREATE POLICY of_partner ON script_tags FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()) AND (SELECT caller_org()) IS NULL);

CREATE TABLE scripts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  name varchar(255) NOT NULL,
  description varchar(2000),
  category_id uuid,
  tags text[] NOT NULL DEFAULT '{}',
  os_types text[] NOT NULL DEFAULT '{}',
  exit_codes jsonb NOT NULL DEFAULT '{}',
  shared_with_organizations boolean NOT NULL DEFAULT false,
  -- Of the newest version.
  language text NOT NULL CHECK (language IN ('bash', 'sh', 'zsh', 'python', 'powershell', 'cmd', 'osascript')),
  version integer NOT NULL,
  version_id uuid NOT NULL,
  -- The version that executions take.
  approved_version_id uuid,
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  UNIQUE (id, partner_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (category_id, partner_id) REFERENCES script_categories (id, partner_id)
);
CREATE INDEX scripts_partner ON scripts (partner_id, name, id) WHERE deleted_at IS NULL;
CREATE INDEX scripts_org ON scripts (org_id) WHERE deleted_at IS NULL;
CREATE INDEX scripts_category ON scripts (category_id);
CREATE INDEX scripts_tags ON scripts USING gin (tags);
CREATE TRIGGER touch BEFORE UPDATE ON scripts FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('scripts');
CREATE POLICY of_partner ON scripts FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner())
    AND (shared_with_organizations OR (SELECT caller_org()) IS NULL));

CREATE TABLE script_versions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  script_id uuid NOT NULL,
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  version integer NOT NULL CHECK (version > 0),
  -- Of the content.
  sha256 text NOT NULL,
  language text NOT NULL CHECK (language IN ('bash', 'sh', 'zsh', 'python', 'powershell', 'cmd', 'osascript')),
  content text NOT NULL,
  parameters jsonb NOT NULL,
  args jsonb NOT NULL,
  run_as text NOT NULL CHECK (run_as IN ('system', 'user')),
  run_as_user varchar(255),
  timeout_seconds integer NOT NULL CHECK (timeout_seconds BETWEEN 1 AND 86400),
  comment varchar(500),
  status text NOT NULL CHECK (status IN ('approved', 'pending_approval', 'rejected')),
  judged_by uuid REFERENCES users,
  judged_at timestamptz,
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (script_id, version),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (script_id, partner_id) REFERENCES scripts (id, partner_id)
);
CREATE INDEX script_versions_org ON script_versions (org_id);
CALL protect_tenant_table('script_versions');
CREATE POLICY of_partner ON script_versions FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner())
    AND EXISTS (SELECT FROM scripts s WHERE s.id = script_versions.script_id AND s.org_id IS NULL));
-- A version stays what it was: only the judgment of it changes.
REVOKE UPDATE, DELETE ON script_versions FROM muster_app, muster_system;
GRANT UPDATE (status, judged_by, judged_at) ON script_versions TO muster_app, muster_system;
