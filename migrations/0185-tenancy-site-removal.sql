-- What a deleted site takes with it: its enrollment keys, which would otherwise enroll devices without a site (the key of one
-- prepared device stays), and its place in the limits of members. A member limited to this site alone then reaches no site.
CREATE FUNCTION remove_from_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM enrollment_keys WHERE site_id = OLD.id AND device_id IS NULL;
  UPDATE organization_users SET site_ids = array_remove(site_ids, OLD.id)
    WHERE org_id = OLD.org_id AND OLD.id = ANY (site_ids);
  RETURN OLD;
END
$$;
CREATE TRIGGER remove_from_site BEFORE DELETE ON sites FOR EACH ROW EXECUTE FUNCTION remove_from_site();
