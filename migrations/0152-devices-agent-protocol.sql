-- The version of the protocol that the agent of a device spoke when it last connected. Agents of version 1 cannot check the
-- signatures of orders: they have to be updated. Null until the device has connected to a server that says so.
ALTER TABLE devices ADD COLUMN agent_protocol smallint;
