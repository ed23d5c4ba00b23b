-- Versions of the agent and how they reach the fleet: ring by ring, with a stop that anybody in charge can pull.

-- The order of versions as numbers, candidates before the version itself; NULL for what is no version.
CREATE FUNCTION agent_version_order(version text) RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN version ~ '^\d{1,6}\.\d{1,6}\.\d{1,6}(-[a-z]{1,10}\.\d{1,6})?$' THEN
    string_to_array(split_part(version, '-', 1), '.')::integer[] ||
    CASE WHEN version LIKE '%-%' THEN ARRAY[
      (ascii(split_part(version, '-', 2)) - 96) * 27
        + CASE WHEN substr(split_part(version, '-', 2), 2, 1) = '.' THEN 0 ELSE ascii(substr(split_part(version, '-', 2), 2, 1)) - 96 END,
      split_part(split_part(version, '-', 2), '.', 2)::integer]
    ELSE ARRAY[1000000, 0] END
  END $$;

CREATE TABLE agent_versions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  version varchar(64) NOT NULL CHECK (agent_version_order(version) IS NOT NULL),
  kind text NOT NULL DEFAULT 'agent' CHECK (kind IN ('agent', 'helper')),
  os text NOT NULL CHECK (os IN ('linux', 'darwin', 'windows')),
  arch text NOT NULL CHECK (arch IN ('x64', 'arm64')),
  -- Where the bytes are: with the release host, or in our own store.
  source text NOT NULL CHECK (source IN ('upstream', 'local')),
  url varchar(2048) CHECK ((url IS NULL) = (source = 'local')),
  sha256 varchar(64) NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  size bigint NOT NULL CHECK (size >= 0),
  candidate boolean NOT NULL,
  notes text,
  released_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (version, kind, os, arch)
);
GRANT SELECT ON agent_versions TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_versions TO muster_system;

CREATE TABLE agent_rollouts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  version varchar(64) NOT NULL,
  -- How many percent of the fleet each stage reaches, and the stage that it is in now.
  stages smallint[] NOT NULL CHECK (cardinality(stages) BETWEEN 1 AND 10),
  stage smallint NOT NULL DEFAULT 1 CHECK (stage BETWEEN 1 AND 10),
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'paused', 'halted', 'completed', 'cancelled')),
  -- The next stage begins when so many percent of the reached devices run the version, after at least so long.
  success_percent smallint NOT NULL CHECK (success_percent BETWEEN 1 AND 100),
  stage_seconds integer NOT NULL CHECK (stage_seconds >= 0),
  -- It halts when more than so many percent of the reached devices failed.
  error_percent real NOT NULL CHECK (error_percent BETWEEN 0 AND 100),
  -- Failures that a person has seen before letting it go on.
  errors_accepted integer NOT NULL DEFAULT 0,
  reason text,
  stage_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
-- One version at a time goes out.
CREATE UNIQUE INDEX agent_rollouts_open ON agent_rollouts ((true)) WHERE state IN ('running', 'paused', 'halted');
CREATE TRIGGER touch BEFORE UPDATE ON agent_rollouts FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
GRANT SELECT ON agent_rollouts TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_rollouts TO muster_system;

-- A single row: whether any update may be offered at all.
CREATE TABLE agent_update_stop (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  stopped boolean NOT NULL DEFAULT false,
  reason text,
  by_user uuid,
  at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO agent_update_stop DEFAULT VALUES;
GRANT SELECT ON agent_update_stop TO muster_app;
GRANT SELECT, UPDATE ON agent_update_stop TO muster_system;

-- What an organisation, one of its sites or groups is to run: that version and no other, or (without one) what it runs now.
CREATE TABLE agent_version_pins (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  site_id uuid,
  group_id uuid,
  version varchar(64),
  reason varchar(255),
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (site_id, org_id) REFERENCES sites (id, org_id) ON DELETE CASCADE,
  FOREIGN KEY (group_id, org_id) REFERENCES device_groups (id, org_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX agent_version_pins_place ON agent_version_pins (org_id, site_id, group_id) NULLS NOT DISTINCT;
CALL protect_tenant_table('agent_version_pins');
