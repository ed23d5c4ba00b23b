-- What a person is told in the console: one row per person and key. A repetition raises the count.
CREATE TABLE notifications (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  -- Names what happened. The same key is shown to a person once.
  key text NOT NULL CHECK (length(key) <= 300),
  type text NOT NULL CHECK (type IN ('alert', 'device', 'script', 'automation', 'system', 'security', 'ticket')),
  priority text NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  title varchar(255) NOT NULL,
  body varchar(2000) NOT NULL DEFAULT '',
  -- {kind, id} of the thing to open.
  link jsonb,
  count integer NOT NULL DEFAULT 1,
  read_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (user_id, key),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX notifications_user ON notifications (user_id, created_at DESC, id);
CREATE INDEX notifications_unread ON notifications (user_id) WHERE read_at IS NULL;
CREATE INDEX notifications_old ON notifications (created_at);
CREATE INDEX notifications_org ON notifications (org_id);
CREATE INDEX notifications_partner ON notifications (partner_id);
ALTER TABLE notifications ENABLE ROW LEVEL SECURITY;
ALTER TABLE notifications FORCE ROW LEVEL SECURITY;
-- A person's own, of the tenant in which the person acts.
CREATE POLICY own ON notifications TO muster_app
  USING (user_id = (SELECT caller_user()) AND (partner_id = (SELECT caller_home_partner()) OR (SELECT caller_is_system())))
  WITH CHECK (user_id = (SELECT caller_user()) AND (partner_id = (SELECT caller_home_partner()) OR (SELECT caller_is_system())));
CREATE POLICY system ON notifications TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE, DELETE ON notifications TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON notifications TO muster_system;

CREATE TABLE notification_preferences (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  muted text[] NOT NULL DEFAULT '{}',
  min_priority text NOT NULL DEFAULT 'low' CHECK (min_priority IN ('low', 'normal', 'high', 'urgent'))
);
ALTER TABLE notification_preferences ENABLE ROW LEVEL SECURITY;
ALTER TABLE notification_preferences FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON notification_preferences TO muster_app
  USING (user_id = (SELECT caller_user())) WITH CHECK (user_id = (SELECT caller_user()));
CREATE POLICY system ON notification_preferences TO muster_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON notification_preferences TO muster_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON notification_preferences TO muster_system;
