-- The transactions that had committed when a follower began: it does not receive their events, although its place is
-- behind the oldest transaction that was still running then. Null for followers that began before this column.
ALTER TABLE event_cursors ADD COLUMN began_after pg_snapshot;
