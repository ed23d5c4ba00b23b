-- The latest outages of all monitors. Those of an organization have their own index.
CREATE INDEX monitor_spans_incidents ON monitor_spans (began_at DESC, id) WHERE status = 'offline';

-- The monitor is new, was changed, or has not as many probes at its site as it wants: workers look at it soon.
ALTER TABLE monitors ADD COLUMN wants_probes boolean NOT NULL DEFAULT true;
CREATE INDEX monitors_wanting ON monitors (id) WHERE wants_probes;

-- A probe that is deleted, or can or cannot check any more.
CREATE FUNCTION want_probes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE monitors SET wants_probes = true WHERE id = OLD.monitor_id AND NOT wants_probes;
  RETURN NULL;
END
$$;
CREATE TRIGGER want_probes AFTER DELETE ON monitor_probes FOR EACH ROW EXECUTE FUNCTION want_probes();
CREATE TRIGGER want_probes_again AFTER UPDATE OF unable_until ON monitor_probes FOR EACH ROW
  WHEN ((OLD.unable_until IS NULL) <> (NEW.unable_until IS NULL)) EXECUTE FUNCTION want_probes();
