-- A device that moves to another organization leaves its commands behind: scripts, environments and output belong to the
-- organization that sent them. They were kept with the device by a key over its organization, which made them follow it.
ALTER TABLE device_commands DROP CONSTRAINT device_commands_device_id_org_id_fkey;
-- What is there was held to more by the former key, so reading all of it again would show nothing.
ALTER TABLE device_commands ADD CONSTRAINT device_commands_device_id_fkey
  FOREIGN KEY (device_id) REFERENCES devices (id) ON DELETE CASCADE NOT VALID;
