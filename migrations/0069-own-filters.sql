-- A filter of one's own needs no reach: it belongs to the person, filed under the partner that the person belongs to.
CREATE POLICY own ON saved_filters TO muster_app
  USING (owner_id = (SELECT caller_user()) AND partner_id IS NOT DISTINCT FROM (SELECT caller_home_partner()) AND org_id IS NULL)
  WITH CHECK (owner_id = (SELECT caller_user()) AND partner_id IS NOT DISTINCT FROM (SELECT caller_home_partner()) AND org_id IS NULL);
