-- What happened, for the parts of Muster that react to it: written in the transaction of the change, kept 30 days.

CREATE SEQUENCE events_seq;
GRANT USAGE ON SEQUENCE events_seq TO muster_app, muster_system;
GRANT SELECT ON SEQUENCE events_seq TO muster_system;

-- `tx` orders events as their transactions became visible: a reader takes those below the oldest running transaction.
CREATE TABLE events (
  seq bigint NOT NULL DEFAULT nextval('events_seq'),
  tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  type text NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid,
  site_id uuid,
  device_id uuid,
  data jsonb NOT NULL DEFAULT '{}',
  at timestamptz NOT NULL DEFAULT now(),
  stored_at timestamptz NOT NULL DEFAULT clock_timestamp()
) PARTITION BY RANGE (stored_at);
ALTER SEQUENCE events_seq OWNED BY events.seq;
CREATE INDEX events_order ON events (tx, seq);
CREATE TABLE events_default PARTITION OF events DEFAULT;
CALL protect_tenant_table('events');
REVOKE UPDATE, DELETE ON events FROM muster_app;

-- How far each follower has read. `cluster` is the server whose transaction ids `tx` refers to; `seen` the highest `seq` read.
CREATE TABLE event_cursors (
  follower text PRIMARY KEY,
  cluster text NOT NULL,
  tx xid8 NOT NULL,
  seq bigint NOT NULL,
  seen bigint NOT NULL,
  read_at timestamptz NOT NULL DEFAULT now(),
  batch_max integer,
  failures integer NOT NULL DEFAULT 0,
  retry_at timestamptz,
  error text
);
GRANT SELECT, INSERT, UPDATE, DELETE ON event_cursors TO muster_system;

-- Events that a follower could not handle and left out.
CREATE TABLE event_failures (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  follower text NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid,
  device_id uuid,
  error text NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX event_failures_at ON event_failures (failed_at DESC, id);
CALL protect_tenant_table('event_failures');
REVOKE INSERT, UPDATE, DELETE ON event_failures FROM muster_app;

-- Makes the daily partitions from the oldest event that has none to so many days ahead, and moves what waits in the
-- default partition. Runs as the owner, because partitions are tables.
CREATE FUNCTION ensure_event_partitions(days_ahead integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public SET lock_timeout = '200ms' AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
  oldest date := (SELECT (min(stored_at) AT TIME ZONE 'UTC')::date FROM public.events_default);
  day date;
  partition text;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_event_partitions'));
  FOR day IN SELECT generate_series(least(today - 1, oldest), today + days_ahead, '1 day')::date LOOP
    partition := 'events_' || to_char(day, 'YYYYMMDD');
    IF to_regclass('public.' || partition) IS NULL THEN
      EXECUTE format('CREATE TABLE public.%I (LIKE public.events INCLUDING ALL)', partition);
      EXECUTE format('WITH waiting AS (DELETE FROM public.events_default WHERE stored_at >= %L AND stored_at < %L RETURNING *)
                      INSERT INTO public.%I SELECT * FROM waiting', day || ' 00:00:00+00', day + 1 || ' 00:00:00+00', partition);
      EXECUTE format('ALTER TABLE public.events ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
        partition, day || ' 00:00:00+00', day + 1 || ' 00:00:00+00');
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;

-- Drops the partitions of days before this one. A lock in the way makes it fail; the caller tries again.
CREATE FUNCTION drop_event_partitions(before date) RETURNS text[]
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public SET lock_timeout = '50ms' AS $$
DECLARE
  partition text;
  dropped text[] := '{}';
BEGIN
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'public.events'::regclass AND c.relname ~ '^events_\d{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < least(before, (now() AT TIME ZONE 'UTC')::date - 1) ORDER BY c.relname
  LOOP
    EXECUTE format('DROP TABLE public.%I', partition);
    dropped := dropped || partition;
  END LOOP;
  RETURN dropped;
END $$;

-- After a restore into another cluster, stored transaction ids say nothing about its own. Gives all events that are
-- stored the lowest transaction id, in the order in which followers would have read them, and moves the cursors along.
CREATE FUNCTION adopt_events(current_cluster text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  restored_seq bigint;
BEGIN
  LOCK TABLE public.event_cursors IN SHARE ROW EXCLUSIVE MODE;
  SELECT max(seen) INTO restored_seq FROM public.event_cursors WHERE cluster <> current_cluster;
  IF restored_seq IS NULL THEN RETURN false; END IF;
  CREATE TEMPORARY TABLE adopted ON COMMIT DROP AS
    SELECT e.id, e.stored_at, e.tx, e.seq, e.seq <= restored_seq AS read_before,
      row_number() OVER (ORDER BY e.seq > restored_seq, CASE WHEN e.seq <= restored_seq THEN e.tx END, e.seq) AS place
    FROM public.events e;
  UPDATE public.event_cursors c SET cluster = current_cluster, tx = '0', retry_at = NULL, failures = 0,
    seq = (SELECT coalesce(max(a.place), 0) FROM adopted a WHERE a.read_before AND (a.tx, a.seq) <= (c.tx, c.seq)),
    seen = (SELECT coalesce(max(a.place), 0) FROM adopted a WHERE a.read_before AND (a.tx, a.seq) <= (c.tx, c.seq));
  UPDATE public.events e SET tx = '0', seq = a.place FROM adopted a WHERE e.id = a.id AND e.stored_at = a.stored_at;
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION ensure_event_partitions, drop_event_partitions, adopt_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ensure_event_partitions, drop_event_partitions, adopt_events TO muster_system;
SELECT ensure_event_partitions(3);
