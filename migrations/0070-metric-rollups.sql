-- Metrics over longer times: what five minutes and hours come to, each kept longer than what it was made from.

CREATE TABLE device_metrics_five_minutes (
  at timestamptz NOT NULL,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  samples integer NOT NULL,
  cpu_percent real,
  cpu_percent_max real,
  memory_used bigint,
  memory_used_max bigint,
  memory_total bigint,
  disk_used bigint,
  disk_used_max bigint,
  disk_total bigint,
  load_1m real,
  load_1m_max real,
  uptime_seconds bigint,
  network_rx_bytes bigint,
  network_tx_bytes bigint,
  process_count integer,
  process_count_max integer,
  PRIMARY KEY (device_id, at)
) PARTITION BY RANGE (at);
CREATE TABLE device_metrics_hours (LIKE device_metrics_five_minutes INCLUDING ALL) PARTITION BY RANGE (at);
CREATE TABLE device_metrics_five_minutes_default PARTITION OF device_metrics_five_minutes DEFAULT;
CREATE TABLE device_metrics_hours_default PARTITION OF device_metrics_hours DEFAULT;
COMMENT ON TABLE device_metrics_five_minutes IS
  'at: when the time begins. Figures are averages; totals, uptime and network are those of its last heartbeat';

CALL protect_tenant_table('device_metrics_five_minutes');
CALL protect_tenant_table('device_metrics_hours');
REVOKE INSERT, UPDATE, DELETE ON device_metrics_five_minutes, device_metrics_hours FROM muster_app;
-- A device that moves takes its history along.
GRANT UPDATE (org_id) ON device_metrics_five_minutes, device_metrics_hours TO muster_app;

-- Up to when everything is rolled up, and the times for which heartbeats were stored after that. What is late is noted
-- in the transaction that stores it, so none is forgotten.
CREATE TABLE metric_rollups (
  resolution text PRIMARY KEY CHECK (resolution IN ('five_minutes', 'hours')),
  done_until timestamptz NOT NULL
);
CREATE TABLE late_metrics (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL
);
INSERT INTO metric_rollups VALUES
  ('five_minutes', date_bin('5 minutes', now(), 'epoch')), ('hours', date_bin('1 hour', now(), 'epoch'));
GRANT SELECT, INSERT, UPDATE, DELETE ON metric_rollups, late_metrics TO muster_system;

-- The partitions of metrics by the time that each covers, read from their names.
CREATE FUNCTION metric_partitions() RETURNS TABLE (series text, name text, ends date)
  LANGUAGE sql STABLE SET search_path = pg_catalog, public AS $$
  SELECT p.relname::text, c.relname::text,
    CASE WHEN p.relname = 'device_metrics_hours' THEN (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month')::date
         ELSE to_date(right(c.relname, 8), 'YYYYMMDD') + 1 END
  FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
  WHERE p.oid IN ('public.device_metrics'::regclass, 'public.device_metrics_five_minutes'::regclass, 'public.device_metrics_hours'::regclass)
    AND c.relname ~ CASE WHEN p.relname = 'device_metrics_hours' THEN '_\d{6}$' ELSE '_\d{8}$' END
$$;

-- Makes one partition. Attaching a table, unlike making it a partition at once, lets readers and writers of the others go on.
CREATE FUNCTION attach_metric_partition(series text, partition text, begins date, ends date) RETURNS integer
  LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
BEGIN
  IF to_regclass('public.' || partition) IS NOT NULL THEN RETURN 0; END IF;
  EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)', partition, series);
  EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
    series, partition, begins || ' 00:00:00+00', ends || ' 00:00:00+00');
  RETURN 1;
END $$;

-- Makes the partitions from yesterday to so many days ahead. Whoever holds a lock for long makes it fail, because writers
-- would have to queue behind it; the caller tries again. Runs as the owner, because partitions are tables.
CREATE OR REPLACE FUNCTION ensure_metric_partitions(days_ahead integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public SET lock_timeout = '200ms' AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
  day date;
  month date;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_metric_partitions'));
  FOR day IN SELECT generate_series(today - 1, today + days_ahead, '1 day')::date LOOP
    made := made + public.attach_metric_partition('device_metrics', 'device_metrics_' || to_char(day, 'YYYYMMDD'), day, day + 1);
    made := made + public.attach_metric_partition('device_metrics_five_minutes',
      'device_metrics_five_minutes_' || to_char(day, 'YYYYMMDD'), day, day + 1);
  END LOOP;
  FOR month IN SELECT generate_series(date_trunc('month', today - 1), today + days_ahead, '1 month')::date LOOP
    made := made + public.attach_metric_partition('device_metrics_hours', 'device_metrics_hours_' || to_char(month, 'YYYYMM'),
      month, (month + interval '1 month')::date);
  END LOOP;
  RETURN made;
END $$;

-- Drops one partition whose time is over. It waits for its lock so briefly that writers behind it hardly notice, and
-- fails when somebody is in the way; the caller tries again.
CREATE FUNCTION drop_metric_partition(partition text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public SET lock_timeout = '50ms' AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM public.metric_partitions() p
                 WHERE p.name = partition AND p.ends < (now() AT TIME ZONE 'UTC')::date) THEN
    RAISE EXCEPTION '% is no partition of metrics that is over', partition;
  END IF;
  EXECUTE format('DROP TABLE public.%I', partition);
END $$;
REVOKE ALL ON FUNCTION metric_partitions, attach_metric_partition, drop_metric_partition FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metric_partitions, drop_metric_partition TO muster_system;
SELECT ensure_metric_partitions(3);
