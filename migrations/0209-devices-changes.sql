-- What changed about devices: workers hand it to what follows them, and forget it.
CREATE TABLE device_changes (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  -- Fields of filters, sections of inventories, place, custom, facts.
  fields text[] NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CALL protect_tenant_table('device_changes');
REVOKE INSERT, UPDATE, DELETE ON device_changes FROM muster_app;

-- Nothing that people see changes with the key to which an agent has its secrets sealed: a new one at each start.
DROP TRIGGER touch ON devices;
CREATE TRIGGER touch BEFORE UPDATE ON devices FOR EACH ROW
  WHEN (OLD.sealing_key IS NOT DISTINCT FROM NEW.sealing_key) EXECUTE FUNCTION touch_updated_at();

CREATE FUNCTION note_device_changes() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO device_changes (device_id, org_id, partner_id, fields)
    SELECT n.id, n.org_id, n.partner_id, ARRAY['place'] FROM after_rows n;
  ELSE
    INSERT INTO device_changes (device_id, org_id, partner_id, fields)
    SELECT n.id, n.org_id, n.partner_id, c.fields FROM after_rows n JOIN before_rows o ON o.id = n.id
    CROSS JOIN LATERAL (SELECT array_agg(f.name) AS fields FROM (VALUES
      ('place', (n.org_id, n.site_id, n.os_type, n.lifecycle) IS DISTINCT FROM (o.org_id, o.site_id, o.os_type, o.lifecycle)),
      ('hostname', n.hostname IS DISTINCT FROM o.hostname),
      ('displayName', n.display_name IS DISTINCT FROM o.display_name),
      ('tags', n.tags IS DISTINCT FROM o.tags),
      ('custom', n.custom_fields IS DISTINCT FROM o.custom_fields),
      ('osName', n.os_name IS DISTINCT FROM o.os_name),
      ('osVersion', n.os_version IS DISTINCT FROM o.os_version),
      ('kernelVersion', n.kernel_version IS DISTINCT FROM o.kernel_version),
      ('architecture', n.architecture IS DISTINCT FROM o.architecture),
      ('agentVersion', n.agent_version IS DISTINCT FROM o.agent_version),
      ('autoUpdate', n.auto_update IS DISTINCT FROM o.auto_update),
      ('machineId', n.machine_id IS DISTINCT FROM o.machine_id),
      ('enrolledAt', n.enrolled_at IS DISTINCT FROM o.enrolled_at),
      ('updatedAt', n.updated_at IS DISTINCT FROM o.updated_at)) AS f(name, changed) WHERE f.changed) c
    WHERE c.fields IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION note_inventory_changes() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO device_changes (device_id, org_id, partner_id, fields)
    SELECT n.device_id, n.org_id, n.partner_id,
      ARRAY['inventoryCollectedAt', 'hardware', 'disks', 'network', 'software', 'services', 'users'] FROM after_rows n;
  ELSE
    INSERT INTO device_changes (device_id, org_id, partner_id, fields)
    SELECT n.device_id, n.org_id, n.partner_id, c.fields FROM after_rows n JOIN before_rows o ON o.device_id = n.device_id
    CROSS JOIN LATERAL (SELECT array_agg(f.name) AS fields FROM (VALUES
      ('inventoryCollectedAt', n.collected_at <> o.collected_at),
      ('hardware', n.hash <> o.hash AND n.hardware <> o.hardware),
      ('disks', n.hash <> o.hash AND n.disks <> o.disks),
      ('network', n.hash <> o.hash AND n.network <> o.network),
      ('software', n.hash <> o.hash AND n.software <> o.software),
      ('services', n.hash <> o.hash AND n.services <> o.services),
      ('users', n.hash <> o.hash AND n.users <> o.users)) AS f(name, changed) WHERE f.changed) c
    WHERE c.fields IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

-- Workers change only rows whose answer is another one.
CREATE FUNCTION note_fact_changes() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  INSERT INTO device_changes (device_id, org_id, partner_id, fields)
  SELECT DISTINCT n.device_id, n.org_id, n.partner_id, ARRAY['facts'] FROM after_rows n
  JOIN before_rows o ON o.device_id = n.device_id AND o.fact_key = n.fact_key
  WHERE (o.value, o.error) IS DISTINCT FROM (n.value, n.error);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION note_device_changes, note_inventory_changes, note_fact_changes FROM PUBLIC;

-- Policies follow these changes like groups and filters do.
DROP TRIGGER mark_for_policies ON devices;
DROP TRIGGER mark_changed_for_policies ON devices;
DROP TRIGGER mark_for_policies ON device_inventory;
DROP TRIGGER mark_changed_for_policies ON device_inventory;
DROP TRIGGER mark_for_policies ON device_facts;
DROP FUNCTION mark_devices_for_policies, mark_inventories_for_policies, mark_facts_for_policies;

CREATE TRIGGER note_new AFTER INSERT ON devices REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_device_changes();
CREATE TRIGGER note_changes AFTER UPDATE ON devices REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_device_changes();
CREATE TRIGGER note_new AFTER INSERT ON device_inventory REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_inventory_changes();
CREATE TRIGGER note_changes AFTER UPDATE ON device_inventory REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_inventory_changes();
CREATE TRIGGER note_changes AFTER UPDATE ON device_facts REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_fact_changes();
