-- What the agent of a device can do, as it said when it last connected: one character for each capability of the agent protocol.
-- Null for agents that do not say so.
ALTER TABLE devices ADD COLUMN capabilities text CHECK (capabilities ~ '^[+a-z]{1,255}$');
