-- Sessions that the operator opens with the database login and the key file.
ALTER TABLE sessions DROP CONSTRAINT sessions_method_check;
ALTER TABLE sessions ADD CONSTRAINT sessions_method_check
  CHECK (method IN ('password', 'totp', 'sms', 'recovery', 'passkey', 'sso', 'operator'));
-- The built-in administrators of the installation and of organizations need a second factor, as those of partners do.
UPDATE roles SET force_mfa = true, updated_at = now() WHERE is_system AND name IN ('System Admin', 'Org Admin') AND NOT force_mfa;
