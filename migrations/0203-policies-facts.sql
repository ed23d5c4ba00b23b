ALTER TABLE device_policy_marks DROP CONSTRAINT device_policy_marks_part_check,
  ADD CONSTRAINT device_policy_marks_part_check
    CHECK (part IN ('place', 'system', 'software', 'disks', 'filter', 'facts', 'exceptions', 'all'));

-- Devices whose facts changed are evaluated by their policies. Workers change only rows whose answer is another one.
CREATE FUNCTION mark_facts_for_policies() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
  SELECT DISTINCT n.device_id, n.org_id, n.partner_id, 'facts' FROM after_rows n
  JOIN before_rows o ON o.device_id = n.device_id AND o.fact_key = n.fact_key
  WHERE (o.value, o.error) IS DISTINCT FROM (n.value, n.error);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION mark_facts_for_policies FROM PUBLIC;
CREATE TRIGGER mark_for_policies AFTER UPDATE ON device_facts REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION mark_facts_for_policies();
