-- A message names its alerts, instead of an entry in the timeline of each. Older messages have those entries.
ALTER TABLE alert_messages
  ADD COLUMN alert_ids uuid[],
  ADD COLUMN recipient text,
  ADD COLUMN skipped boolean NOT NULL DEFAULT false;
