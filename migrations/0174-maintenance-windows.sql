-- Times of planned work, and what is held back or allowed during them.

CREATE TABLE maintenance_windows (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  -- Without an organization the window can concern all devices of the partner.
  org_id uuid,
  name varchar(255) NOT NULL,
  description text,
  -- A local time of the zone, as YYYY-MM-DDTHH:mm.
  starts_at text NOT NULL,
  -- `site`: the zone of each device's site.
  timezone text NOT NULL,
  duration_minutes integer NOT NULL CHECK (duration_minutes > 0),
  rrule text,
  ex_dates text[] NOT NULL DEFAULT '{}',
  effects jsonb NOT NULL DEFAULT '{}',
  verify_return boolean NOT NULL DEFAULT true,
  target_set_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'active', 'completed', 'cancelled')),
  -- Of occurrences: those that start before scheduled_until are stored, for these zones. Devices without a site have the last.
  zones text[] NOT NULL DEFAULT '{}',
  fallback_zone text NOT NULL DEFAULT 'UTC',
  scheduled_until timestamptz NOT NULL DEFAULT 'epoch',
  -- Whether starts follow after scheduled_until.
  continues boolean NOT NULL DEFAULT false,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (target_set_id, partner_id) REFERENCES target_sets (id, partner_id),
  UNIQUE (target_set_id),
  UNIQUE (id, partner_id)
);
CREATE INDEX maintenance_windows_partner ON maintenance_windows (partner_id, created_at DESC, id);
CREATE INDEX maintenance_windows_org ON maintenance_windows (org_id, created_at DESC, id);
CREATE INDEX maintenance_windows_open ON maintenance_windows (partner_id) WHERE status IN ('scheduled', 'active');

CREATE TABLE maintenance_occurrences (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  window_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid,
  timezone text NOT NULL,
  local_start text NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'active', 'completed', 'cancelled')),
  ended_by text CHECK (ended_by IN ('time', 'person', 'cancel')),
  -- As it was when the occurrence started.
  device_count integer,
  suppressed jsonb NOT NULL DEFAULT '{}',
  online_at_start uuid[],
  not_returned uuid[] NOT NULL DEFAULT '{}',
  return_checked boolean NOT NULL DEFAULT false,
  FOREIGN KEY (window_id, partner_id) REFERENCES maintenance_windows (id, partner_id) ON DELETE CASCADE,
  UNIQUE (window_id, timezone, local_start)
);
CREATE INDEX maintenance_occurrences_time ON maintenance_occurrences (partner_id, starts_at, id);
CREATE INDEX maintenance_occurrences_starting ON maintenance_occurrences (starts_at) WHERE status = 'scheduled';
CREATE INDEX maintenance_occurrences_open ON maintenance_occurrences (ends_at) WHERE status IN ('scheduled', 'active');
CREATE INDEX maintenance_occurrences_unchecked ON maintenance_occurrences (ended_at) WHERE status = 'completed' AND NOT return_checked;

CALL protect_tenant_table('maintenance_windows');
CALL protect_tenant_table('maintenance_occurrences');
-- What holds for a whole partner is read, not written, by the members of its organizations.
CREATE POLICY of_partner ON maintenance_windows FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));
CREATE POLICY of_partner ON maintenance_occurrences FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));
CREATE TRIGGER touch BEFORE UPDATE ON maintenance_windows FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- The devices of a target set. Each kind of name has its own branch, so that its index is used.
CREATE FUNCTION devices_of_targets(targets target_sets) RETURNS SETOF devices LANGUAGE sql STABLE AS $$
  SELECT device.* FROM devices device WHERE device.id IN (
      SELECT unnest(targets.device_ids)
      UNION ALL SELECT d.id FROM devices d WHERE d.site_id = ANY (targets.site_ids)
      UNION ALL SELECT d.id FROM devices d WHERE d.org_id = ANY (targets.org_ids)
      UNION ALL SELECT m.device_id FROM device_group_members m WHERE m.group_id = ANY (targets.group_ids)
      UNION ALL SELECT d.id FROM devices d WHERE targets.tags <> '{}' AND d.partner_id = targets.partner_id AND d.tags && targets.tags
      UNION ALL SELECT d.id FROM devices d WHERE targets.everything AND d.org_id = targets.org_id
      UNION ALL SELECT d.id FROM devices d WHERE targets.everything AND targets.org_id IS NULL AND d.partner_id = targets.partner_id)
    AND device.partner_id = targets.partner_id AND (targets.org_id IS NULL OR device.org_id = targets.org_id)
    AND device.lifecycle <> 'decommissioned'
    AND (targets.filter IS NULL OR EXISTS (SELECT FROM target_filter_members matching
      WHERE matching.set_id = targets.id AND matching.device_id = device.id))
    AND (device.id = ANY (targets.exclude_device_ids) OR device.site_id = ANY (targets.exclude_site_ids)
      OR device.org_id = ANY (targets.exclude_org_ids) OR device.tags && targets.exclude_tags
      OR EXISTS (SELECT FROM device_group_members named
        WHERE named.device_id = device.id AND named.group_id = ANY (targets.exclude_group_ids))) IS NOT TRUE
$$;

-- The devices for which a window is active, for filters.
CREATE VIEW devices_in_maintenance WITH (security_invoker = true) AS
  SELECT DISTINCT d.id AS device_id
  FROM maintenance_occurrences o JOIN maintenance_windows w ON w.id = o.window_id JOIN target_sets t ON t.id = w.target_set_id
  CROSS JOIN LATERAL devices_of_targets(t) d
  WHERE (o.status = 'active' OR o.status = 'scheduled' AND o.starts_at <= now()) AND o.ends_at > now()
    AND (w.timezone <> 'site'
      OR o.timezone = coalesce((SELECT s.timezone FROM sites s WHERE s.id = d.site_id), w.fallback_zone));
GRANT SELECT ON devices_in_maintenance TO muster_app, muster_system;

-- A script can be sent although a window holds scripts back. The second person approves that as well.
ALTER TABLE command_approvals ADD COLUMN respect_maintenance boolean NOT NULL DEFAULT true;
