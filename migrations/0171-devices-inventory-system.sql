-- The operating system itself in the inventory: time zone, reasons for a restart, drivers, updates, features. Empty where the agent
-- does not report it.
ALTER TABLE device_inventory ADD COLUMN system jsonb NOT NULL DEFAULT '{}';

ALTER TABLE device_inventory_log DROP CONSTRAINT device_inventory_log_section_check;
-- What is there was held to a shorter list, so reading all of it again would show nothing.
ALTER TABLE device_inventory_log ADD CONSTRAINT device_inventory_log_section_check CHECK (section IN
  ('hardware', 'disks', 'network', 'software', 'services', 'users', 'system', 'drivers', 'updates', 'features')) NOT VALID;
