-- When a window without a given start was created: its first occurrence begins then, and not at the beginning of the minute.
ALTER TABLE maintenance_windows ADD COLUMN begun_at timestamptz;
