-- Whoever becomes a member without an invitation has accepted by that.
ALTER TABLE partner_users ALTER COLUMN accepted_at SET DEFAULT now();
ALTER TABLE organization_users ALTER COLUMN accepted_at SET DEFAULT now();
UPDATE partner_users SET accepted_at = created_at WHERE accepted_at IS NULL AND status <> 'invited';
UPDATE organization_users SET accepted_at = created_at WHERE accepted_at IS NULL AND status <> 'invited';
