-- The devices that a maintenance window, an alert rule or another thing is about. Whatever has targets refers to one row.

CREATE TABLE target_sets (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  -- Without an organization the set can contain all devices of the partner.
  org_id uuid,
  -- Nothing is named: all devices of the owner that match the filter.
  everything boolean NOT NULL,
  device_ids uuid[] NOT NULL DEFAULT '{}',
  group_ids uuid[] NOT NULL DEFAULT '{}',
  org_ids uuid[] NOT NULL DEFAULT '{}',
  site_ids uuid[] NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  exclude_device_ids uuid[] NOT NULL DEFAULT '{}',
  exclude_group_ids uuid[] NOT NULL DEFAULT '{}',
  exclude_org_ids uuid[] NOT NULL DEFAULT '{}',
  exclude_site_ids uuid[] NOT NULL DEFAULT '{}',
  exclude_tags text[] NOT NULL DEFAULT '{}',
  filter jsonb,
  fields_used text[] NOT NULL DEFAULT '{}',
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  UNIQUE (id, partner_id)
);
CREATE INDEX target_sets_filtered ON target_sets (partner_id, org_id) WHERE filter IS NOT NULL;

-- The devices that match the filter of a set, kept as the members of dynamic groups are.
CREATE TABLE target_filter_members (
  set_id uuid NOT NULL,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  PRIMARY KEY (set_id, device_id),
  FOREIGN KEY (set_id, partner_id) REFERENCES target_sets (id, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX target_filter_members_device ON target_filter_members (device_id);

CALL protect_tenant_table('target_sets');
CALL protect_tenant_table('target_filter_members');
-- What holds for a whole partner is read, not written, by the members of its organizations.
CREATE POLICY of_partner ON target_sets FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));
