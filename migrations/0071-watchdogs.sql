-- A watchdog holds a socket of its own, by a key of its own, perhaps to another node than its agent.
ALTER TABLE device_state ADD COLUMN watchdog_node text;
ALTER TABLE devices ADD COLUMN watchdog_public_key text;
