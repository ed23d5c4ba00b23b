-- The audit log in months, searchable, and chained: each record of a partner carries the hash of the one before.

-- What a search looks through: words of who, what and which, with the punctuation of addresses and names taken apart.
CREATE FUNCTION audit_words(action text, resource_id text, resource_name text, actor_email text, ip text, details jsonb)
  RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog
  AS $$ SELECT to_tsvector('simple', translate(
    action || ' ' || coalesce(resource_id, '') || ' ' || coalesce(resource_name, '') || ' ' || coalesce(actor_email, '')
      || ' ' || coalesce(ip, '') || ' ' || left(details::text, 8000),
    '@._-:/\{}[]",', repeat(' ', 13))) $$;

ALTER TABLE audit_logs
  ADD COLUMN chain_sequence bigint,
  ADD COLUMN chain_previous bytea,
  ADD COLUMN chain_hash bytea,
  ADD COLUMN words tsvector NOT NULL
    GENERATED ALWAYS AS (audit_words(action, resource_id, resource_name, actor_email, ip_address, details)) STORED;
CREATE INDEX audit_logs_words ON audit_logs USING gin (words);
CREATE INDEX audit_logs_at ON audit_logs (at DESC, id DESC);
CREATE INDEX audit_logs_actor ON audit_logs (actor_id, at DESC);
CREATE INDEX audit_logs_resource ON audit_logs (resource_id, at DESC);
CREATE INDEX audit_logs_chain ON audit_logs (partner_id, chain_sequence);
CREATE INDEX audit_logs_unchained ON audit_logs (at, id) WHERE chain_sequence IS NULL;

-- Whatever a caller did is recorded, also where its reach would not let it read the record.
DROP POLICY tenant ON audit_logs;
CREATE POLICY readers ON audit_logs FOR SELECT TO muster_app
  USING (org_id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner())
         OR org_id = ANY ((SELECT caller_orgs())::uuid[]) OR (SELECT caller_is_system()));
CREATE POLICY writers ON audit_logs FOR INSERT TO muster_app
  WITH CHECK (partner_id = (SELECT caller_home_partner()) OR (SELECT caller_is_system()));

-- Requests add records and cannot say where they stand in the chain; the writer of the chain can say only that.
REVOKE INSERT ON audit_logs FROM muster_app;
GRANT INSERT (partner_id, org_id, actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name,
  result, details, changed_fields, ip_address, user_agent, request_id) ON audit_logs TO muster_app;
REVOKE UPDATE, DELETE ON audit_logs FROM muster_system;
GRANT UPDATE (chain_sequence, chain_previous, chain_hash) ON audit_logs TO muster_system;

-- Where each chain ends. What belongs to no partner is chained under the nil id.
CREATE TABLE audit_chains (
  chain_id uuid PRIMARY KEY,
  partner_id uuid REFERENCES partners,
  sequence bigint NOT NULL,
  hash bytea NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (chain_id = coalesce(partner_id, '00000000-0000-0000-0000-000000000000'))
);
-- Signed statements: at this time the chain went so far, and its end had this hash. Truncation shows against them.
-- A floor says the same of the last record that was given up with its month.
CREATE TABLE audit_heads (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  chain_id uuid NOT NULL REFERENCES audit_chains,
  partner_id uuid REFERENCES partners,
  kind text NOT NULL DEFAULT 'head' CHECK (kind IN ('head', 'floor')),
  sequence bigint NOT NULL,
  hash bytea NOT NULL,
  at timestamptz NOT NULL,
  key_id text NOT NULL,
  public_key text NOT NULL,
  signature text NOT NULL,
  UNIQUE (chain_id, kind, sequence)
);
ALTER TABLE audit_chains ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_chains FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_chains FOR SELECT TO muster_app
  USING (partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system()));
CREATE POLICY system ON audit_chains TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT ON audit_chains TO muster_app;
GRANT SELECT, INSERT, UPDATE ON audit_chains TO muster_system;
ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_heads FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_heads FOR SELECT TO muster_app
  USING (partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system()));
CREATE POLICY system ON audit_heads TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT ON audit_heads TO muster_app;
GRANT SELECT, INSERT ON audit_heads TO muster_system;

-- Makes the monthly partitions from the oldest record that has none to so many months ahead, and files what waits in
-- the default partition. Runs as the owner, because partitions are tables.
CREATE FUNCTION ensure_audit_partitions(months_ahead integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                   WHERE attrelid = 'public.audit_logs'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
  oldest timestamptz := (SELECT min(at) FROM public.audit_logs_default);
  this_month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
  month date;
  partition text;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_audit_partitions'));
  FOR month IN SELECT generate_series(least(this_month, date_trunc('month', oldest AT TIME ZONE 'UTC')::date),
                                      this_month + make_interval(months => months_ahead), '1 month')::date LOOP
    partition := 'audit_logs_' || to_char(month, 'YYYYMM');
    IF to_regclass('public.' || partition) IS NULL THEN
      EXECUTE format('CREATE TABLE public.%I (LIKE public.audit_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)', partition);
      EXECUTE format('WITH waiting AS (DELETE FROM public.audit_logs_default WHERE at >= %L AND at < %L RETURNING %s)
                      INSERT INTO public.%I (%s) SELECT %s FROM waiting',
        month || ' 00:00:00+00', (month + interval '1 month')::date || ' 00:00:00+00', columns, partition, columns, columns);
      EXECUTE format('ALTER TABLE public.audit_logs ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
        partition, month || ' 00:00:00+00', (month + interval '1 month')::date || ' 00:00:00+00');
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;

-- Gives up the months that ended before a day. A month goes only when every record of it is chained.
CREATE FUNCTION drop_audit_partitions(before date) RETURNS text[]
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  partition text;
  waiting boolean;
  dropped text[] := '{}';
BEGIN
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'public.audit_logs'::regclass AND c.relname ~ '^audit_logs_\d{6}$'
      AND to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= before ORDER BY c.relname
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM public.%I WHERE chain_sequence IS NULL)', partition) INTO waiting;
    EXIT WHEN waiting;
    EXECUTE format('DROP TABLE public.%I', partition);
    dropped := dropped || partition;
  END LOOP;
  RETURN dropped;
END $$;
REVOKE ALL ON FUNCTION ensure_audit_partitions, drop_audit_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ensure_audit_partitions, drop_audit_partitions TO muster_system;
SELECT ensure_audit_partitions(3);
