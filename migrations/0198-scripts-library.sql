-- The scripts that come with Muster, written by admin at its start. They belong to no tenant.
CREATE TABLE system_scripts (
  id uuid PRIMARY KEY,
  key varchar(255) NOT NULL UNIQUE,
  version integer NOT NULL CHECK (version > 0),
  name varchar(255) NOT NULL,
  description varchar(2000) NOT NULL,
  category varchar(255) NOT NULL,
  tags text[] NOT NULL,
  os_types text[] NOT NULL,
  language text NOT NULL CHECK (language IN ('bash', 'sh', 'zsh', 'python', 'powershell', 'cmd', 'osascript')),
  content text NOT NULL,
  sha256 text NOT NULL,
  parameters jsonb NOT NULL,
  args jsonb NOT NULL,
  run_as text NOT NULL CHECK (run_as IN ('system', 'user')),
  timeout_seconds integer NOT NULL CHECK (timeout_seconds BETWEEN 1 AND 86400),
  exit_codes jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER touch BEFORE UPDATE ON system_scripts FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
GRANT SELECT ON system_scripts TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON system_scripts TO muster_system;

-- The system script that a script was imported from: one copy for each owner.
ALTER TABLE scripts ADD COLUMN origin_id uuid, ADD COLUMN origin_version integer,
  ADD CHECK ((origin_id IS NULL) = (origin_version IS NULL));
CREATE UNIQUE INDEX scripts_origin ON scripts (partner_id, coalesce(org_id, partner_id), origin_id)
  WHERE deleted_at IS NULL AND origin_id IS NOT NULL;

-- What the grammar of the language found in the content.
ALTER TABLE script_versions ADD COLUMN warnings jsonb NOT NULL DEFAULT '[]';
