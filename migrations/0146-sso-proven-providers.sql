-- A provider that is the only way in must have worked before: a test or a sign-in through it has succeeded.
ALTER TABLE sso_providers ADD COLUMN proven_at timestamptz;
UPDATE sso_providers p SET proven_at = now()
  WHERE EXISTS (SELECT FROM sso_identities i WHERE i.provider_id = p.id AND i.last_login_at IS NOT NULL);
GRANT UPDATE (proven_at) ON sso_providers TO muster_app;

-- The role that a provider gives to new members is in use: it is not deleted beneath the provider.
ALTER TABLE sso_providers DROP CONSTRAINT sso_providers_default_role_id_fkey;
ALTER TABLE sso_providers ADD CONSTRAINT sso_providers_default_role_id_fkey
  FOREIGN KEY (default_role_id) REFERENCES roles (id);
