-- A deleted site, group or device leaves the targets that name it. Targets that named nothing else then contain no device.
CREATE FUNCTION forget_target() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  EXECUTE format('UPDATE public.target_sets SET %1$I = array_remove(%1$I, $1), %2$I = array_remove(%2$I, $1)
    WHERE partner_id = $2 AND ($1 = ANY (%1$I) OR $1 = ANY (%2$I))', TG_ARGV[0], 'exclude_' || TG_ARGV[0])
    USING OLD.id, OLD.partner_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION forget_target FROM PUBLIC;
CREATE TRIGGER forget_target AFTER DELETE ON sites FOR EACH ROW EXECUTE FUNCTION forget_target('site_ids');
CREATE TRIGGER forget_target AFTER DELETE ON device_groups FOR EACH ROW EXECUTE FUNCTION forget_target('group_ids');
CREATE TRIGGER forget_target AFTER DELETE ON devices FOR EACH ROW EXECUTE FUNCTION forget_target('device_ids');
