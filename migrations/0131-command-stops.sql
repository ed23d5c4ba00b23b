-- The emergency stop of commands: of one partner, or (without one) of the whole installation. A stop is a row, and lifting it
-- takes the row away. What the operator of the installation stopped, a partner cannot lift: each has a row of its own.
CREATE TABLE command_stops (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid REFERENCES partners ON DELETE CASCADE,
  by_scope text NOT NULL CHECK (by_scope IN ('partner', 'system')),
  reason varchar(500) NOT NULL,
  by_user uuid,
  at timestamptz NOT NULL DEFAULT now(),
  CHECK (partner_id IS NOT NULL OR by_scope = 'system'),
  UNIQUE NULLS NOT DISTINCT (partner_id, by_scope)
);
ALTER TABLE command_stops ENABLE ROW LEVEL SECURITY;
ALTER TABLE command_stops FORCE ROW LEVEL SECURITY;
CREATE POLICY seen ON command_stops FOR SELECT TO muster_app
  USING (partner_id IS NULL OR partner_id = (SELECT caller_home_partner()) OR (SELECT caller_is_system()));
CREATE POLICY tenant ON command_stops TO muster_app
  USING ((partner_id = (SELECT caller_partner()) AND by_scope = 'partner') OR (SELECT caller_is_system()))
  WITH CHECK ((partner_id = (SELECT caller_partner()) AND by_scope = 'partner') OR (SELECT caller_is_system()));
CREATE POLICY system ON command_stops TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON command_stops TO muster_app, muster_system;
