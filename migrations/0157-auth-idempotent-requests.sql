-- Answers to requests that came with an Idempotency-Key, so that the same request again acts no second time.
CREATE TABLE idempotent_requests (
  -- The person or API key, and the tenant in which it acts.
  caller text NOT NULL,
  operation text NOT NULL,
  key varchar(255) NOT NULL,
  user_id uuid NOT NULL,
  input_hash text NOT NULL,
  -- Set with the change itself, of operations that commit more than once.
  acted boolean NOT NULL DEFAULT false,
  -- Sealed with the keyring. Null while the request runs.
  answer text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (caller, operation, key)
);
CREATE INDEX idempotent_requests_age ON idempotent_requests (created_at);
ALTER TABLE idempotent_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotent_requests FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON idempotent_requests TO muster_app
  USING (user_id = (SELECT caller_user())) WITH CHECK (user_id = (SELECT caller_user()));
CREATE POLICY system ON idempotent_requests TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON idempotent_requests TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotent_requests TO muster_system;
