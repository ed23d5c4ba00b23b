-- Commands that were sent together, and requests that may be repeated; what changed in a device's inventory.

-- The commands of one request. A batch is nothing but its commands, so it goes where they go.
ALTER TABLE device_commands ADD COLUMN batch_id uuid;
CREATE INDEX device_commands_batch ON device_commands (batch_id) WHERE batch_id IS NOT NULL;
-- Made of the caller and the key that the caller chose: the same request made again finds the commands of the first time.
ALTER TABLE device_commands ADD COLUMN request_key text;
CREATE UNIQUE INDEX device_commands_request ON device_commands (request_key, device_id) WHERE request_key IS NOT NULL;
-- How far one person has reached lately.
CREATE INDEX device_commands_actor ON device_commands (created_by, created_at) WHERE created_by IS NOT NULL;

CREATE TABLE device_inventory_log (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  at timestamptz NOT NULL,
  section text NOT NULL CHECK (section IN ('hardware', 'disks', 'network', 'software', 'services', 'users')),
  action text NOT NULL CHECK (action IN ('added', 'removed', 'changed')),
  name text NOT NULL,
  before jsonb,
  after jsonb,
  FOREIGN KEY (device_id, org_id) REFERENCES devices (id, org_id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX device_inventory_log_device ON device_inventory_log (device_id, at DESC, id);
CREATE INDEX device_inventory_log_at ON device_inventory_log (at);
CALL protect_tenant_table('device_inventory_log');
REVOKE INSERT, UPDATE, DELETE ON device_inventory_log FROM muster_app;
-- It follows its device by the key above, which the database does with the table's own rights.
GRANT UPDATE (org_id) ON device_inventory_log TO muster_app;
