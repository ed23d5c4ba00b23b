-- What the workers need beside the tables: the form in which heartbeats arrive, and the order in which commands fall due.

-- One heartbeat as a worker hands it over. One array of these costs the server half of what an array per column does.
CREATE TYPE heartbeat_row AS (
  device_id uuid,
  at timestamptz,
  boot_id bigint,
  sequence bigint,
  cpu_percent real,
  memory_used bigint,
  memory_total bigint,
  disk_used bigint,
  disk_total bigint,
  load_1m real,
  uptime_seconds bigint,
  network_rx_bytes bigint,
  network_tx_bytes bigint,
  process_count integer
);
GRANT USAGE ON TYPE heartbeat_row TO muster_system;

CREATE INDEX device_commands_due ON device_commands (status, expires_at) WHERE status IN ('pending', 'sent', 'running');
