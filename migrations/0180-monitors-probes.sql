-- What agents check for people: hosts, ports, pages and names, with the state and the results of each.
CREATE TABLE monitors (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  site_id uuid,
  -- The device that a person chose to check from.
  device_id uuid REFERENCES devices ON DELETE SET NULL,
  name varchar(255) NOT NULL,
  type text NOT NULL CHECK (type IN ('ping', 'tcp', 'http', 'dns')),
  target varchar(2048) NOT NULL,
  -- Without the headers and the body of a request, which are sealed in `secrets`.
  config jsonb NOT NULL,
  secrets text,
  interval_seconds integer NOT NULL,
  timeout_seconds integer NOT NULL,
  retries integer NOT NULL,
  degraded_ms integer,
  probes integer NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  status text NOT NULL DEFAULT 'unknown' CHECK (status IN ('unknown', 'online', 'degraded', 'offline', 'paused')),
  status_reason varchar(500),
  status_since timestamptz NOT NULL DEFAULT now(),
  last_check_at timestamptz,
  last_response_ms double precision,
  certificate_expires_at timestamptz,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (id, org_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (site_id, org_id) REFERENCES sites (id, org_id) ON DELETE SET NULL (site_id)
) WITH (fillfactor = 80);
CREATE INDEX monitors_partner ON monitors (partner_id, name, id);
CREATE INDEX monitors_org ON monitors (org_id, name, id);
CREATE INDEX monitors_site ON monitors (site_id) WHERE site_id IS NOT NULL;
CREATE INDEX monitors_device ON monitors (device_id) WHERE device_id IS NOT NULL;

-- The devices that check a monitor, and what each of them found last.
CREATE TABLE monitor_probes (
  monitor_id uuid NOT NULL,
  device_id uuid NOT NULL REFERENCES devices ON DELETE CASCADE,
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  verdict text NOT NULL DEFAULT 'unknown' CHECK (verdict IN ('unknown', 'online', 'degraded', 'offline')),
  -- Failing rounds since the last good one.
  failing integer NOT NULL DEFAULT 0,
  reason varchar(500),
  observed_at timestamptz,
  -- The device cannot do the check. It is not asked again before this.
  unable_until timestamptz,
  PRIMARY KEY (monitor_id, device_id),
  FOREIGN KEY (monitor_id, org_id) REFERENCES monitors (id, org_id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX monitor_probes_device ON monitor_probes (device_id);
CREATE INDEX monitor_probes_unable ON monitor_probes (unable_until) WHERE unable_until IS NOT NULL;

-- What probes reported. An observation that is repeated has the same key.
CREATE TABLE monitor_results (
  monitor_id uuid NOT NULL,
  device_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('ok', 'degraded', 'failed', 'unknown')),
  rounds integer NOT NULL,
  failed integer NOT NULL,
  -- Rounds whose times are summed up.
  answered integer NOT NULL,
  min_ms double precision,
  max_ms double precision,
  sum_ms double precision,
  reason varchar(500),
  PRIMARY KEY (monitor_id, at, device_id),
  FOREIGN KEY (monitor_id, org_id) REFERENCES monitors (id, org_id) ON DELETE CASCADE
);
CREATE INDEX monitor_results_at ON monitor_results (at);

-- Results summed up over five minutes and hours.
CREATE TABLE monitor_rollups (
  monitor_id uuid NOT NULL,
  seconds integer NOT NULL CHECK (seconds IN (300, 3600)),
  at timestamptz NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  rounds integer NOT NULL,
  failed integer NOT NULL,
  answered integer NOT NULL,
  min_ms double precision,
  max_ms double precision,
  sum_ms double precision,
  PRIMARY KEY (monitor_id, seconds, at),
  FOREIGN KEY (monitor_id, org_id) REFERENCES monitors (id, org_id) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX monitor_rollups_at ON monitor_rollups (seconds, at);

-- How long a monitor had each status. Uptimes and incidents are read from these.
CREATE TABLE monitor_spans (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  monitor_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('unknown', 'online', 'degraded', 'offline', 'paused')),
  reason varchar(500),
  began_at timestamptz NOT NULL,
  ended_at timestamptz,
  FOREIGN KEY (monitor_id, org_id) REFERENCES monitors (id, org_id) ON DELETE CASCADE
);
CREATE INDEX monitor_spans_monitor ON monitor_spans (monitor_id, began_at DESC);
CREATE INDEX monitor_spans_open ON monitor_spans (monitor_id) WHERE ended_at IS NULL;
CREATE INDEX monitor_spans_offline ON monitor_spans (org_id, began_at DESC) WHERE status = 'offline';

-- When a monitor raises alerts.
CREATE TABLE monitor_alerts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  monitor_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid NOT NULL,
  condition text NOT NULL CHECK (condition IN ('offline', 'degraded', 'responseTime', 'certificate', 'noProbe')),
  threshold double precision,
  consecutive integer NOT NULL DEFAULT 1,
  severity text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low', 'info')),
  channel_ids uuid[] NOT NULL DEFAULT '{}',
  policy_id uuid,
  enabled boolean NOT NULL DEFAULT true,
  -- Rounds in a row for which the condition was true, and whether the alert was raised.
  counted integer NOT NULL DEFAULT 0,
  firing boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (monitor_id, org_id) REFERENCES monitors (id, org_id) ON DELETE CASCADE
);
CREATE INDEX monitor_alerts_monitor ON monitor_alerts (monitor_id, created_at, id);
CREATE INDEX monitor_alerts_org ON monitor_alerts (org_id, created_at, id);

CALL protect_tenant_table('monitors');
CALL protect_tenant_table('monitor_probes');
CALL protect_tenant_table('monitor_results');
CALL protect_tenant_table('monitor_rollups');
CALL protect_tenant_table('monitor_spans');
CALL protect_tenant_table('monitor_alerts');
