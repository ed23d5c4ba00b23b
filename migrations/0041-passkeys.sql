-- Public keys of people's devices: a second factor, or a sign-in without a password.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  credential_id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  -- Grows with each use where the device counts; one that falls back is a copy.
  counter bigint NOT NULL DEFAULT 0,
  transports text[] NOT NULL DEFAULT '{}',
  backed_up boolean NOT NULL DEFAULT false,
  name varchar(100) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX passkeys_user ON passkeys (user_id);
ALTER TABLE passkeys ENABLE ROW LEVEL SECURITY;
ALTER TABLE passkeys FORCE ROW LEVEL SECURITY;
-- Requests see that their own person has passkeys; only the sign-in code, on the system's connection, uses them.
CREATE POLICY own ON passkeys FOR SELECT TO muster_app USING (user_id = (SELECT caller_user()));
CREATE POLICY system ON passkeys TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT (id, user_id, name, backed_up, created_at, last_used_at) ON passkeys TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON passkeys TO muster_system;
