-- Devices keep their rows together when they move, and lists of tens of thousands come off an index in every order.

-- A row about a device stands under the device's own organisation, and follows it when it moves.
ALTER TABLE devices ADD CONSTRAINT devices_org UNIQUE (id, org_id);
ALTER TABLE device_state DROP CONSTRAINT device_state_device_id_fkey,
  ADD FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE device_inventory DROP CONSTRAINT device_inventory_device_id_fkey,
  ADD FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE device_commands DROP CONSTRAINT device_commands_device_id_fkey,
  ADD FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE;
-- Metrics have no such key, because it would be checked for every heartbeat; a move takes them along itself.
GRANT UPDATE (org_id) ON device_metrics TO muster_app;

-- A key that lets in one machine, the one that was prepared with it.
ALTER TABLE enrollment_keys ADD COLUMN device_id uuid REFERENCES devices ON DELETE CASCADE;
CREATE UNIQUE INDEX enrollment_keys_device ON enrollment_keys (device_id) WHERE device_id IS NOT NULL;

-- A device that was only prepared yet has no time of enrolment and stands in that order by its time of creation.
DROP INDEX devices_partner_enrolled;
CREATE INDEX devices_enrolled ON devices ((coalesce(enrolled_at, created_at)), id);
CREATE INDEX devices_partner_enrolled ON devices (partner_id, (coalesce(enrolled_at, created_at)), id);
CREATE INDEX devices_org_enrolled ON devices (org_id, (coalesce(enrolled_at, created_at)), id);

-- Counts against the caps and for totals read this index alone.
CREATE INDEX devices_in_use ON devices (partner_id, org_id) WHERE lifecycle <> 'decommissioned';
CREATE INDEX devices_public_key ON devices (org_id, public_key) WHERE public_key IS NOT NULL;

-- Devices of deleted organisations are left out of every list; there are few such organisations.
CREATE INDEX organizations_deleted ON organizations (id) WHERE deleted_at IS NOT NULL;
