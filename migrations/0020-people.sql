-- Memberships with a life of their own, invitations, roles owned by organisations, and mail on its way out.

-- One person may belong to several tenants, and what one of them does to its member must not show in another:
-- being invited, disabled or renamed belongs to the membership; the account only knows whether it can sign in at all.
ALTER TABLE partner_users
  ADD COLUMN status text NOT NULL DEFAULT 'active' CHECK (status IN ('invited', 'active', 'disabled')),
  ADD COLUMN display_name varchar(255),
  ADD COLUMN accepted_at timestamptz,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE organization_users
  ADD COLUMN status text NOT NULL DEFAULT 'active' CHECK (status IN ('invited', 'active', 'disabled')),
  ADD COLUMN display_name varchar(255),
  ADD COLUMN accepted_at timestamptz,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
UPDATE partner_users SET accepted_at = created_at;
UPDATE organization_users SET accepted_at = created_at;
CREATE INDEX organization_users_partner ON organization_users (partner_id);
CREATE TRIGGER touch BEFORE UPDATE ON partner_users FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON organization_users FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- The open invitation of a membership. The token itself is only in the mail.
CREATE TABLE user_invitations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  token_hash varchar(64) NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  UNIQUE NULLS NOT DISTINCT (user_id, partner_id, org_id)
);
CREATE INDEX user_invitations_partner ON user_invitations (partner_id);
CALL protect_tenant_table('user_invitations');

-- A role of an organisation belongs to its partner as well, like every tenant row.
ALTER TABLE roles
  ADD CONSTRAINT roles_owner CHECK (org_id IS NULL OR partner_id IS NOT NULL),
  ADD CONSTRAINT roles_org_partner FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id);
DROP INDEX roles_name;
CREATE UNIQUE INDEX roles_name ON roles (scope, coalesce(org_id, partner_id), lower(name)) NULLS NOT DISTINCT;
CREATE INDEX roles_partner ON roles (partner_id);
CREATE INDEX system_users_role ON system_users (role_id);

-- A partner's people see their colleagues and roles however many organisations they reach themselves;
-- only who reaches the whole partner changes them.
DROP POLICY tenant ON partner_users;
CREATE POLICY colleagues ON partner_users FOR SELECT TO muster_app
  USING (partner_id = (SELECT caller_partner()) OR user_id = (SELECT caller_user()) OR (SELECT caller_is_system())
         OR (partner_id = (SELECT caller_home_partner()) AND (SELECT caller_org()) IS NULL));
CREATE POLICY managers ON partner_users TO muster_app
  USING (partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system()))
  WITH CHECK (partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system()));

DROP POLICY tenant ON roles;
CREATE POLICY visible ON roles FOR SELECT TO muster_app
  USING (is_system OR org_id = (SELECT caller_org()) OR org_id = ANY ((SELECT caller_orgs())::uuid[])
         OR partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system())
         OR (partner_id = (SELECT caller_home_partner()) AND org_id IS NULL AND (SELECT caller_org()) IS NULL));
CREATE POLICY managers ON roles TO muster_app
  USING (NOT is_system AND (org_id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system())))
  WITH CHECK (NOT is_system AND (org_id = (SELECT caller_org()) OR partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system())));

DROP POLICY writable ON role_permissions;
CREATE POLICY writable ON role_permissions TO muster_app
  USING (EXISTS (SELECT FROM roles r WHERE r.id = role_permissions.role_id AND NOT r.is_system
    AND (r.org_id = (SELECT caller_org()) OR r.partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system()))))
  WITH CHECK (EXISTS (SELECT FROM roles r WHERE r.id = role_permissions.role_id AND NOT r.is_system
    AND (r.org_id = (SELECT caller_org()) OR r.partner_id = (SELECT caller_partner()) OR (SELECT caller_is_system()))));

-- Whoever may see a person's account may end its sessions; handing a session to somebody else stays impossible.
DROP POLICY tenant ON sessions;
CREATE POLICY tenant ON sessions TO muster_app
  USING (user_id = (SELECT caller_user()) OR EXISTS (SELECT FROM users u WHERE u.id = sessions.user_id))
  WITH CHECK (user_id = (SELECT caller_user()) OR EXISTS (SELECT FROM users u WHERE u.id = sessions.user_id));
REVOKE UPDATE ON sessions FROM muster_app;
GRANT UPDATE (revoked_at) ON sessions TO muster_app;

-- Mail that a change owes somebody: written with the change, sent by a job. Requests add to it and cannot read it,
-- because what it says (links with tokens) is for the addressee alone.
CREATE TABLE mail_outbox (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid REFERENCES partners,
  org_id uuid,
  to_address varchar(255) NOT NULL,
  template varchar(64) NOT NULL,
  data jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX mail_outbox_waiting ON mail_outbox (created_at) WHERE sent_at IS NULL;
CALL protect_tenant_table('mail_outbox');
REVOKE SELECT, UPDATE, DELETE ON mail_outbox FROM muster_app;
