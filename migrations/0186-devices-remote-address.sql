-- Where the agent last connected from: an IPv4 address or an IPv6 network. Devices behind the same one share an uplink.
ALTER TABLE device_state ADD COLUMN remote_address text CHECK (length(remote_address) <= 255);
