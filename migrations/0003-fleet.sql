-- The machines: how they come in, what they are, how they are, what they were told.

CREATE TABLE enrollment_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  site_id uuid,
  name varchar(255) NOT NULL,
  key_hash varchar(64) NOT NULL UNIQUE,
  key_prefix varchar(16) NOT NULL,
  usage_count integer NOT NULL DEFAULT 0,
  max_usage integer CHECK (max_usage > 0),
  expires_at timestamptz,
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (site_id, org_id) REFERENCES sites (id, org_id) ON DELETE SET NULL (site_id),
  CHECK (max_usage IS NULL OR usage_count <= max_usage)
);
CREATE INDEX enrollment_keys_org ON enrollment_keys (org_id, created_at DESC, id);
CREATE INDEX enrollment_keys_partner ON enrollment_keys (partner_id, created_at DESC, id);

-- What changes rarely. What changes with every heartbeat stands in device_state.
CREATE TABLE devices (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  site_id uuid,
  hostname varchar(255) NOT NULL,
  display_name varchar(255),
  lifecycle text NOT NULL DEFAULT 'active' CHECK (lifecycle IN ('provisioned', 'active', 'quarantined', 'decommissioned')),
  os_type text CHECK (os_type IN ('linux', 'windows', 'macos')),
  os_name varchar(255),
  os_version varchar(255),
  kernel_version varchar(255),
  architecture varchar(32),
  agent_version varchar(64),
  auto_update boolean NOT NULL DEFAULT true,
  machine_id varchar(128),
  public_key text,
  key_generation integer NOT NULL DEFAULT 1,
  tags text[] NOT NULL DEFAULT '{}',
  inventory_hash text,
  enrollment_key_id uuid REFERENCES enrollment_keys ON DELETE SET NULL,
  enrolled_at timestamptz,
  decommissioned_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (site_id, org_id) REFERENCES sites (id, org_id) ON DELETE SET NULL (site_id)
);
CREATE INDEX devices_org_hostname ON devices (org_id, hostname, id);
CREATE INDEX devices_partner_hostname ON devices (partner_id, hostname, id);
CREATE INDEX devices_hostname ON devices (hostname, id);
CREATE INDEX devices_partner_enrolled ON devices (partner_id, enrolled_at, id);
CREATE INDEX devices_site ON devices (site_id);
CREATE INDEX devices_machine ON devices (org_id, machine_id) WHERE machine_id IS NOT NULL;

-- One narrow row per device, rewritten by every heartbeat. No index on what changes and room on each page,
-- so that an update never leaves its page (HOT).
CREATE TABLE device_state (
  device_id uuid PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'offline' CHECK (status IN ('online', 'offline', 'updating')),
  status_at timestamptz NOT NULL DEFAULT now(),
  node text,
  last_seen_at timestamptz,
  boot_id bigint NOT NULL DEFAULT 0,
  sequence bigint NOT NULL DEFAULT 0,
  cpu_percent real,
  memory_used bigint,
  memory_total bigint,
  disk_used bigint,
  disk_total bigint,
  load_1m real,
  uptime_seconds bigint,
  network_rx_bytes bigint,
  network_tx_bytes bigint,
  process_count integer,
  watchdog_seen_at timestamptz,
  watchdog_status text CHECK (watchdog_status IN ('connected', 'disconnected', 'failover')),
  main_agent_silent_since timestamptz,
  updating_since timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

CREATE TABLE device_metrics (
  at timestamptz NOT NULL,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  boot_id bigint NOT NULL,
  sequence bigint NOT NULL,
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
) PARTITION BY RANGE (at);
CREATE INDEX device_metrics_device ON device_metrics (device_id, at DESC);
CREATE TABLE device_metrics_default PARTITION OF device_metrics DEFAULT;

-- Makes the daily partitions from yesterday to so many days ahead. Runs as the owner, because partitions are tables.
CREATE FUNCTION ensure_metric_partitions(days_ahead integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  day date;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_metric_partitions'));
  FOR day IN SELECT generate_series((now() AT TIME ZONE 'UTC')::date - 1, (now() AT TIME ZONE 'UTC')::date + days_ahead, '1 day')::date LOOP
    IF to_regclass(format('public.device_metrics_%s', to_char(day, 'YYYYMMDD'))) IS NULL THEN
      EXECUTE format('CREATE TABLE public.device_metrics_%s PARTITION OF public.device_metrics FOR VALUES FROM (%L) TO (%L)',
        to_char(day, 'YYYYMMDD'), to_char(day, 'YYYY-MM-DD') || ' 00:00:00+00', to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;
REVOKE ALL ON FUNCTION ensure_metric_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ensure_metric_partitions TO muster_system;
SELECT ensure_metric_partitions(3);

-- The last stream entry that a shard's writer has stored, written in the same transaction as the entry's rows.
CREATE TABLE stream_positions (
  stream text PRIMARY KEY,
  entry_id text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE, DELETE ON stream_positions TO muster_system;

CREATE TABLE device_inventory (
  device_id uuid PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  hash text NOT NULL,
  collected_at timestamptz NOT NULL,
  hardware jsonb NOT NULL DEFAULT '{}',
  disks jsonb NOT NULL DEFAULT '[]',
  network jsonb NOT NULL DEFAULT '[]',
  software jsonb NOT NULL DEFAULT '[]',
  services jsonb NOT NULL DEFAULT '[]',
  users jsonb NOT NULL DEFAULT '[]',
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE device_commands (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  device_id uuid NOT NULL REFERENCES devices ON DELETE CASCADE,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  type varchar(64) NOT NULL,
  payload jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'sent', 'running', 'completed', 'failed', 'timed_out', 'cancelled', 'expired')),
  result jsonb,
  exit_code integer,
  stdout text,
  stderr text,
  error text,
  timeout_ms integer NOT NULL,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX device_commands_device ON device_commands (device_id, created_at DESC, id);
CREATE INDEX device_commands_open ON device_commands (device_id, created_at) WHERE status IN ('pending', 'sent', 'running');
-- Two refreshes of one inventory at once would only race each other: the second request is told so.
CREATE UNIQUE INDEX device_commands_one_refresh ON device_commands (device_id)
  WHERE type = 'refresh_inventory' AND status IN ('pending', 'sent', 'running');

CALL protect_tenant_table('enrollment_keys');
CALL protect_tenant_table('devices');
CALL protect_tenant_table('device_state');
CALL protect_tenant_table('device_metrics');
CALL protect_tenant_table('device_inventory');
CALL protect_tenant_table('device_commands');
REVOKE INSERT, UPDATE, DELETE ON device_metrics, device_inventory FROM muster_app;

CREATE TRIGGER touch BEFORE UPDATE ON enrollment_keys FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON devices FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON device_commands FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
