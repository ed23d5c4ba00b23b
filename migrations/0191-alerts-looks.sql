-- What workers look for each second among open alerts: times that are over, causes of suppressions, alerts that flap.
CREATE INDEX alerts_times ON alerts ((CASE WHEN status = 'suppressed' THEN suppressed_until ELSE acknowledged_until END))
  WHERE status IN ('suppressed', 'acknowledged');
CREATE INDEX alerts_suppressed ON alerts (suppression_kind, released_at) WHERE status = 'suppressed';
CREATE INDEX alerts_flapping ON alerts (last_changed_at) WHERE flapping AND status <> 'resolved';
-- Alerts about sites, and about devices that were deleted.
CREATE INDEX alerts_places ON alerts (rule_id, site_id) WHERE device_id IS NULL AND holds;
CREATE INDEX maintenance_occurrences_active ON maintenance_occurrences (ends_at) WHERE status = 'active';
