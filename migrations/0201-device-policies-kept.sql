-- Configuration policies: what devices have to be like, and which devices are not.
CREATE TABLE device_policies (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  -- Without an organization the policy can concern all devices of the partner.
  org_id uuid,
  name varchar(255) NOT NULL,
  description varchar(2000),
  status text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'active', 'inactive')),
  mode text NOT NULL DEFAULT 'monitor' CHECK (mode IN ('monitor', 'warn')),
  priority integer NOT NULL DEFAULT 100 CHECK (priority BETWEEN 0 AND 10000),
  os_types text[] NOT NULL DEFAULT '{}',
  rules jsonb NOT NULL DEFAULT '[]',
  -- The assignments, the exclusions and the filter.
  target_set_id uuid NOT NULL,
  -- Grows with each change after which devices are evaluated. They are queued up to the other number.
  revision integer NOT NULL DEFAULT 1,
  queued_revision integer NOT NULL DEFAULT 1,
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Deleted policies stay until their results and alerts have ended.
  deleted_at timestamptz,
  UNIQUE (id, partner_id),
  UNIQUE (target_set_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (target_set_id, partner_id) REFERENCES target_sets (id, partner_id)
);
CREATE INDEX device_policies_partner ON device_policies (partner_id, name, id) WHERE deleted_at IS NULL;
CREATE INDEX device_policies_org ON device_policies (org_id);
CREATE INDEX device_policies_changed ON device_policies (partner_id) WHERE revision <> queued_revision;
CREATE TRIGGER touch BEFORE UPDATE ON device_policies FOR EACH ROW
  WHEN (OLD.queued_revision = NEW.queued_revision) EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('device_policies');
-- What holds for a whole partner is read, not written, by the members of its organizations.
CREATE POLICY of_partner ON device_policies FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));

-- The followed filters of rules that ask for one.
CREATE TABLE device_policy_filters (
  policy_id uuid NOT NULL,
  rule_key varchar(100) NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid,
  target_set_id uuid NOT NULL,
  PRIMARY KEY (policy_id, rule_key),
  UNIQUE (target_set_id),
  FOREIGN KEY (policy_id, partner_id) REFERENCES device_policies (id, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (target_set_id, partner_id) REFERENCES target_sets (id, partner_id)
);
CALL protect_tenant_table('device_policy_filters');
CREATE POLICY of_partner ON device_policy_filters FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));

-- Combinations of policies that devices of an organization have. Most devices share one.
CREATE TABLE device_policy_sets (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Of everything below.
  hash text NOT NULL,
  -- The policies that apply, and those that are assigned but do not apply.
  applied uuid[] NOT NULL,
  skipped uuid[] NOT NULL,
  -- A hash of the rules in effect, by policy: results of policies with the same hash stay.
  effects jsonb NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (org_id, hash),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CALL protect_tenant_table('device_policy_sets');

CREATE TABLE device_policy_states (
  device_id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Null until the first evaluation ended.
  set_id uuid REFERENCES device_policy_sets,
  placed_at timestamptz NOT NULL DEFAULT now(),
  evaluated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX device_policy_states_set ON device_policy_states (set_id);
CREATE INDEX device_policy_states_evaluated ON device_policy_states (evaluated_at);
CALL protect_tenant_table('device_policy_states');

-- Only pairs that are not compliant.
CREATE TABLE device_policy_results (
  policy_id uuid NOT NULL,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('non_compliant', 'error', 'pending', 'exempt')),
  since timestamptz NOT NULL DEFAULT now(),
  -- What was found for the rules that are not kept.
  findings jsonb NOT NULL DEFAULT '[]',
  -- Whether an alert was opened that is not cleared yet.
  alerted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (policy_id, device_id),
  FOREIGN KEY (policy_id, partner_id) REFERENCES device_policies (id, partner_id),
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX device_policy_results_device ON device_policy_results (device_id);
CREATE INDEX device_policy_results_status ON device_policy_results (policy_id, status);
CALL protect_tenant_table('device_policy_results');

-- Changes of the status of pairs, for the history of drift.
CREATE TABLE device_policy_transitions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  policy_id uuid NOT NULL,
  device_id uuid NOT NULL REFERENCES devices ON DELETE CASCADE,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  before text NOT NULL CHECK (before IN ('compliant', 'non_compliant', 'error', 'pending', 'exempt', 'not_applicable')),
  after text NOT NULL CHECK (after IN ('compliant', 'non_compliant', 'error', 'pending', 'exempt', 'not_applicable')),
  findings jsonb NOT NULL DEFAULT '[]',
  FOREIGN KEY (policy_id, partner_id) REFERENCES device_policies (id, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX device_policy_transitions_policy ON device_policy_transitions (policy_id, at DESC, id);
CREATE INDEX device_policy_transitions_device ON device_policy_transitions (device_id, policy_id, at DESC);
CREATE INDEX device_policy_transitions_at ON device_policy_transitions (at);
CALL protect_tenant_table('device_policy_transitions');

CREATE TABLE device_policy_exceptions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  policy_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Of the device or the group.
  org_id uuid NOT NULL,
  device_id uuid,
  group_id uuid,
  -- Null: all rules of the policy.
  rule_key varchar(100),
  reason varchar(1000) NOT NULL,
  expires_at timestamptz,
  -- Set when its devices were queued after it ended.
  ended_at timestamptz,
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((device_id IS NULL) <> (group_id IS NULL)),
  FOREIGN KEY (policy_id, partner_id) REFERENCES device_policies (id, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE,
  FOREIGN KEY (group_id, org_id) REFERENCES device_groups (id, org_id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX device_policy_exceptions_policy ON device_policy_exceptions (policy_id, created_at DESC, id);
CREATE INDEX device_policy_exceptions_device ON device_policy_exceptions (device_id);
CREATE INDEX device_policy_exceptions_group ON device_policy_exceptions (group_id);
CREATE INDEX device_policy_exceptions_ending ON device_policy_exceptions (expires_at) WHERE ended_at IS NULL;
CREATE TRIGGER touch BEFORE UPDATE ON device_policy_exceptions FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('device_policy_exceptions');

-- Counts of pairs by day, as they were when they were last counted.
CREATE TABLE device_policy_days (
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  day date NOT NULL,
  compliant bigint NOT NULL,
  non_compliant bigint NOT NULL,
  error bigint NOT NULL,
  pending bigint NOT NULL,
  exempt bigint NOT NULL,
  not_applicable bigint NOT NULL,
  PRIMARY KEY (org_id, day),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CALL protect_tenant_table('device_policy_days');

-- Devices to evaluate. Changes add rows without waiting; the evaluation takes them.
CREATE TABLE device_policy_marks (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- What changed: the rules that use it are judged again.
  part text NOT NULL CHECK (part IN ('place', 'system', 'software', 'disks', 'filter', 'exceptions', 'all')),
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CALL protect_tenant_table('device_policy_marks');
REVOKE INSERT, UPDATE, DELETE ON device_policy_sets, device_policy_states, device_policy_results,
  device_policy_transitions, device_policy_days, device_policy_marks FROM muster_app;

CREATE FUNCTION mark_devices_for_policies() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM device_policies p WHERE p.status = 'active') THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
    SELECT n.id, n.org_id, n.partner_id, 'place' FROM after_rows n
    WHERE EXISTS (SELECT FROM device_policies p WHERE p.partner_id = n.partner_id AND p.status = 'active');
  ELSE
    INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
    SELECT n.id, n.org_id, n.partner_id, c.part FROM after_rows n JOIN before_rows o ON o.id = n.id
    CROSS JOIN LATERAL (VALUES
      ('place', (n.org_id, n.site_id, n.os_type, n.lifecycle) IS DISTINCT FROM (o.org_id, o.site_id, o.os_type, o.lifecycle)),
      ('system', n.os_version IS DISTINCT FROM o.os_version)) AS c(part, changed)
    WHERE c.changed AND EXISTS (SELECT FROM device_policies p WHERE p.partner_id = n.partner_id AND p.status = 'active');
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION mark_inventories_for_policies() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM device_policies p WHERE p.status = 'active') THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
    SELECT n.device_id, n.org_id, n.partner_id, c.part FROM after_rows n, (VALUES ('software'), ('disks')) AS c(part)
    WHERE EXISTS (SELECT FROM device_policies p WHERE p.partner_id = n.partner_id AND p.status = 'active');
  ELSE
    INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
    SELECT n.device_id, n.org_id, n.partner_id, c.part
    FROM after_rows n JOIN before_rows o ON o.device_id = n.device_id AND o.hash <> n.hash
    CROSS JOIN LATERAL (VALUES ('software', n.software <> o.software), ('disks', n.disks <> o.disks)) AS c(part, changed)
    WHERE c.changed AND EXISTS (SELECT FROM device_policies p WHERE p.partner_id = n.partner_id AND p.status = 'active');
  END IF;
  RETURN NULL;
END $$;

-- Of groups, and of the filters that policies follow.
CREATE FUNCTION mark_members_for_policies() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM device_policies p WHERE p.status = 'active') THEN
    RETURN NULL;
  END IF;
  IF TG_TABLE_NAME = 'device_group_members' THEN
    INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
    SELECT DISTINCT m.device_id, m.org_id, m.partner_id, c.part
    FROM member_rows m, (VALUES ('place'), ('exceptions')) AS c(part)
    WHERE EXISTS (SELECT FROM device_policies p WHERE p.partner_id = m.partner_id AND p.status = 'active');
  ELSE
    INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
    SELECT m.device_id, m.org_id, m.partner_id, 'place' FROM member_rows m
    JOIN device_policies p ON p.target_set_id = m.set_id AND p.status = 'active'
    UNION
    SELECT m.device_id, m.org_id, m.partner_id, 'filter' FROM member_rows m
    JOIN device_policy_filters f ON f.target_set_id = m.set_id
    JOIN device_policies p ON p.id = f.policy_id AND p.status = 'active';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION mark_exceptions_for_policies() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
  SELECT e.device_id, e.org_id, e.partner_id, 'exceptions' FROM exception_rows e WHERE e.device_id IS NOT NULL
  UNION
  SELECT m.device_id, m.org_id, m.partner_id, 'exceptions' FROM exception_rows e
  JOIN device_group_members m ON m.group_id = e.group_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION mark_devices_for_policies, mark_inventories_for_policies, mark_members_for_policies,
  mark_exceptions_for_policies FROM PUBLIC;

CREATE TRIGGER mark_for_policies AFTER INSERT ON devices REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_devices_for_policies();
CREATE TRIGGER mark_changed_for_policies AFTER UPDATE ON devices REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_devices_for_policies();
CREATE TRIGGER mark_for_policies AFTER INSERT ON device_inventory REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_inventories_for_policies();
CREATE TRIGGER mark_changed_for_policies AFTER UPDATE ON device_inventory
  REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_inventories_for_policies();
CREATE TRIGGER mark_for_policies AFTER INSERT ON device_group_members REFERENCING NEW TABLE AS member_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_members_for_policies();
CREATE TRIGGER mark_left_for_policies AFTER DELETE ON device_group_members REFERENCING OLD TABLE AS member_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_members_for_policies();
CREATE TRIGGER mark_for_policies AFTER INSERT ON target_filter_members REFERENCING NEW TABLE AS member_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_members_for_policies();
CREATE TRIGGER mark_left_for_policies AFTER DELETE ON target_filter_members REFERENCING OLD TABLE AS member_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_members_for_policies();
CREATE TRIGGER mark_for_policies AFTER INSERT ON device_policy_exceptions REFERENCING NEW TABLE AS exception_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_exceptions_for_policies();
CREATE TRIGGER mark_changed_for_policies AFTER UPDATE ON device_policy_exceptions REFERENCING NEW TABLE AS exception_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_exceptions_for_policies();
CREATE TRIGGER mark_left_for_policies AFTER DELETE ON device_policy_exceptions REFERENCING OLD TABLE AS exception_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_exceptions_for_policies();
