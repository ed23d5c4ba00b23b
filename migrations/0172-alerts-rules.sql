-- What rules are evaluated with: their targets, the devices of a condition on a filter, and the times at which nothing listened.
ALTER TABLE alert_rules
  ADD COLUMN condition_set_id uuid UNIQUE,
  ADD UNIQUE (target_set_id),
  ADD FOREIGN KEY (target_set_id, partner_id) REFERENCES target_sets (id, partner_id),
  ADD FOREIGN KEY (condition_set_id, partner_id) REFERENCES target_sets (id, partner_id);

-- When a gateway was last seen to accept connections, and the times between for which silence of devices says nothing.
CREATE TABLE alert_listening (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  listened_at timestamptz NOT NULL
);
CREATE TABLE alert_outages (
  began_at timestamptz PRIMARY KEY,
  ended_at timestamptz NOT NULL
);
CREATE INDEX alert_outages_ended ON alert_outages (ended_at DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON alert_listening, alert_outages TO muster_system;
