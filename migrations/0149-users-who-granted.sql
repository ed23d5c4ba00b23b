-- Who let a member in, who gave it its role, and when: a second person is none when the first one made it one.
ALTER TABLE system_users
  ADD COLUMN invited_by uuid, ADD COLUMN granted_by uuid, ADD COLUMN granted_at timestamptz;
ALTER TABLE partner_users
  ADD COLUMN invited_by uuid, ADD COLUMN granted_by uuid, ADD COLUMN granted_at timestamptz;
ALTER TABLE organization_users
  ADD COLUMN invited_by uuid, ADD COLUMN granted_by uuid, ADD COLUMN granted_at timestamptz;

CREATE FUNCTION note_grant() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.invited_by = caller_user();
  ELSIF NEW.role_id IS DISTINCT FROM OLD.role_id THEN
    NEW.granted_by = caller_user();
    NEW.granted_at = now();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER note_grant BEFORE INSERT OR UPDATE OF role_id ON system_users FOR EACH ROW EXECUTE FUNCTION note_grant();
CREATE TRIGGER note_grant BEFORE INSERT OR UPDATE OF role_id ON partner_users FOR EACH ROW EXECUTE FUNCTION note_grant();
CREATE TRIGGER note_grant BEFORE INSERT OR UPDATE OF role_id ON organization_users FOR EACH ROW EXECUTE FUNCTION note_grant();
