-- What signing in needs beside the accounts: families of refresh tokens, single-use links, and what a second factor remembers.

ALTER TABLE users
  -- The newest time step whose code was accepted: no code of it or before it is accepted again.
  ADD COLUMN mfa_last_step bigint,
  ADD COLUMN email_verified_at timestamptz;

-- A session is the family of its refresh tokens: token_hash is of the newest, revoking the session ends them all.
ALTER TABLE sessions
  ADD COLUMN scope text CHECK (scope IN ('system', 'partner', 'organization')),
  ADD COLUMN partner_id uuid,
  ADD COLUMN org_id uuid,
  ADD COLUMN method text NOT NULL DEFAULT 'password' CHECK (method IN ('password', 'totp', 'sms', 'recovery', 'passkey', 'sso')),
  -- When the person last proved who it is, as opposed to a token being exchanged.
  ADD COLUMN authenticated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN last_used_at timestamptz NOT NULL DEFAULT now(),
  -- No exchange goes beyond it.
  ADD COLUMN ends_at timestamptz NOT NULL DEFAULT now() + interval '30 days';
CREATE INDEX sessions_expired ON sessions (expires_at);

-- Refresh tokens that have been exchanged. One that comes back is a copy in the wrong hands, except within the moment
-- in which two windows of one browser exchange the same token; the salt lets that moment answer with the same successor.
CREATE TABLE used_refresh_tokens (
  token_hash varchar(64) PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  salt varchar(64) NOT NULL,
  used_at timestamptz NOT NULL
);
CREATE INDEX used_refresh_tokens_session ON used_refresh_tokens (session_id);
ALTER TABLE used_refresh_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE used_refresh_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON used_refresh_tokens TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON used_refresh_tokens TO muster_system;

-- Links in mails that prove the mailbox: each works once.
CREATE TABLE one_time_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  purpose text NOT NULL CHECK (purpose IN ('reset-password', 'verify-email')),
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  token_hash varchar(64) NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX one_time_tokens_user ON one_time_tokens (user_id, purpose);
ALTER TABLE one_time_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE one_time_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON one_time_tokens TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON one_time_tokens TO muster_system;
