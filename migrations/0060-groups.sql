-- Sets of devices: chosen by hand, or by a filter whose answer is kept here so that lists and policies need not ask it again.
CREATE TABLE device_groups (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Limits the group to one site; deleting the site widens nothing, so it takes the group along.
  site_id uuid,
  name varchar(255) NOT NULL,
  description text,
  type text NOT NULL DEFAULT 'static' CHECK (type IN ('static', 'dynamic')),
  filter jsonb,
  -- The fields that the filter looks at: a device change concerns the group only when it touches one of them.
  fields_used text[] NOT NULL DEFAULT '{}',
  evaluated_at timestamptz,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (site_id, org_id) REFERENCES sites (id, org_id) ON DELETE CASCADE,
  UNIQUE (id, org_id),
  CHECK ((type = 'dynamic') = (filter IS NOT NULL))
);
CREATE UNIQUE INDEX device_groups_name ON device_groups (org_id, lower(name));
CREATE INDEX device_groups_partner ON device_groups (partner_id, name, id);
CREATE INDEX device_groups_fields ON device_groups USING gin (fields_used) WHERE type = 'dynamic';

CREATE TABLE device_group_members (
  group_id uuid NOT NULL,
  device_id uuid NOT NULL REFERENCES devices ON DELETE CASCADE,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Pinned members stay in a dynamic group whatever its filter says.
  pinned boolean NOT NULL DEFAULT false,
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (group_id, device_id),
  FOREIGN KEY (group_id, org_id) REFERENCES device_groups (id, org_id) ON DELETE CASCADE
);
CREATE INDEX device_group_members_device ON device_group_members (device_id);

CREATE TABLE device_group_log (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  group_id uuid NOT NULL,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  action text NOT NULL CHECK (action IN ('added', 'removed', 'pinned', 'unpinned')),
  reason text NOT NULL CHECK (reason IN ('manual', 'filter', 'moved', 'decommissioned')),
  actor_id uuid,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX device_group_log_group ON device_group_log (group_id, at DESC, id);

-- Fields that a tenant adds to its devices. Without an organisation they hold for the whole partner.
CREATE TABLE custom_fields (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid,
  partner_id uuid NOT NULL REFERENCES partners,
  key varchar(63) NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]*$'),
  label varchar(255) NOT NULL,
  description text,
  type text NOT NULL CHECK (type IN ('text', 'number', 'boolean', 'time', 'choice')),
  options text[] NOT NULL DEFAULT '{}',
  required boolean NOT NULL DEFAULT false,
  default_value jsonb,
  script_writable boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE UNIQUE INDEX custom_fields_key ON custom_fields (partner_id, coalesce(org_id, partner_id), key);
ALTER TABLE devices ADD COLUMN custom_fields jsonb NOT NULL DEFAULT '{}';

CREATE TABLE saved_filters (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid,
  partner_id uuid REFERENCES partners,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name varchar(255) NOT NULL,
  description text,
  filter jsonb NOT NULL,
  shared boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX saved_filters_partner ON saved_filters (partner_id, name, id);

CALL protect_tenant_table('device_groups');
CALL protect_tenant_table('device_group_members');
CALL protect_tenant_table('device_group_log');
CALL protect_tenant_table('custom_fields');
CALL protect_tenant_table('saved_filters');
-- What holds for a whole partner is read, not written, by the members of its organisations.
CREATE POLICY of_partner ON custom_fields FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));

CREATE TRIGGER touch BEFORE UPDATE ON device_groups FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON custom_fields FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON saved_filters FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
