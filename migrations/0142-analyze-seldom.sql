-- Every row of device_state is rewritten once a minute, so by the ordinary rule its statistics were made anew every few
-- seconds, for more than the heartbeats themselves cost. What they say hardly changes: who belongs to whom stays.
ALTER TABLE device_state SET (autovacuum_analyze_scale_factor = 5);

-- The newest partitions only grow; in their first hour the ordinary rule made their statistics anew every few seconds, too.
CREATE OR REPLACE FUNCTION attach_metric_partition(series text, partition text, begins date, ends date) RETURNS integer
  LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
BEGIN
  IF to_regclass('public.' || partition) IS NOT NULL THEN RETURN 0; END IF;
  EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL) WITH (autovacuum_analyze_scale_factor = 0.5)',
    partition, series);
  EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
    series, partition, begins || ' 00:00:00+00', ends || ' 00:00:00+00');
  RETURN 1;
END $$;
DO $$
DECLARE
  partition text;
BEGIN
  FOR partition IN SELECT name FROM metric_partitions() LOOP
    EXECUTE format('ALTER TABLE public.%I SET (autovacuum_analyze_scale_factor = 0.5)', partition);
  END LOOP;
END $$;
