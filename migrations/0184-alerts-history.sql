-- The events of some devices during some time: tests of rules, and what happened before an alert.
CREATE INDEX events_device ON events (device_id, stored_at) WHERE device_id IS NOT NULL;

-- Policies follow the events of failed deliveries.
ALTER TABLE alert_messages DROP COLUMN failure_seen;
