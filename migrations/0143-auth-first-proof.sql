-- What an account may do before its mailbox is proven, and which credentials count where.

-- A passkey that was added in a session of an identity provider counts in sessions of that provider alone. No reference: what
-- was made in sessions of a provider that was deleted counts nowhere.
ALTER TABLE passkeys ADD COLUMN provider_id uuid;
GRANT SELECT (provider_id) ON passkeys TO muster_app;

-- The same for the authenticator, the phone and the recovery codes, which are one set.
ALTER TABLE users ADD COLUMN factors_provider_id uuid;

-- A link proves the address that it was mailed to, not one that the account is given later. A handed link was shown to an
-- administrator, because there is no mail server: it proves no address.
ALTER TABLE one_time_tokens
  ADD COLUMN email citext,
  ADD COLUMN handed boolean NOT NULL DEFAULT false;
ALTER TABLE user_invitations
  ADD COLUMN email citext,
  ADD COLUMN handed_hash varchar(64) UNIQUE,
  ADD COLUMN issued_at timestamptz NOT NULL DEFAULT now();

-- When the member accepted by a handed link: the password that was set with it opens this place, although the address of
-- the account is not proven.
ALTER TABLE partner_users ADD COLUMN vouched_at timestamptz;
ALTER TABLE organization_users ADD COLUMN vouched_at timestamptz;

-- The owner of the tables may be no superuser, and then sees no rows while row-level security is forced.
ALTER TABLE users NO FORCE ROW LEVEL SECURITY;
ALTER TABLE system_users NO FORCE ROW LEVEL SECURITY;
ALTER TABLE one_time_tokens NO FORCE ROW LEVEL SECURITY;
ALTER TABLE user_invitations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_logs NO FORCE ROW LEVEL SECURITY;

UPDATE one_time_tokens t SET email = u.email FROM users u WHERE u.id = t.user_id;
UPDATE user_invitations i SET email = u.email FROM users u WHERE u.id = i.user_id;
ALTER TABLE one_time_tokens ALTER COLUMN email SET NOT NULL;
ALTER TABLE user_invitations ALTER COLUMN email SET NOT NULL;

-- An account without a password whose address counts as proven has it from an identity provider, which proves none.
UPDATE users SET email_verified_at = NULL WHERE email_verified_at IS NOT NULL AND password_hash IS NULL;
-- An accepted invitation was a proof of the mailbox. Accounts that a registration or a provider had made before keep
-- credentials from before the proof, so they have to prove the mailbox again.
UPDATE users u SET email_verified_at = accepted.at
FROM (SELECT resource_id, min(at) AS at FROM audit_logs WHERE action = 'user.invite.accept' GROUP BY resource_id) accepted
WHERE u.email_verified_at IS NULL AND u.password_hash IS NOT NULL AND accepted.resource_id = u.id::text
  AND NOT EXISTS (SELECT FROM audit_logs made WHERE made.resource_id = u.id::text
                  AND made.action IN ('user.register', 'sso.user.create', 'scim.user.create'));
-- The first administrators come from the operator of the installation.
UPDATE users u SET email_verified_at = u.created_at
WHERE u.email_verified_at IS NULL AND EXISTS (SELECT FROM system_users s WHERE s.user_id = u.id);

ALTER TABLE users FORCE ROW LEVEL SECURITY;
ALTER TABLE system_users FORCE ROW LEVEL SECURITY;
ALTER TABLE one_time_tokens FORCE ROW LEVEL SECURITY;
ALTER TABLE user_invitations FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_logs FORCE ROW LEVEL SECURITY;
