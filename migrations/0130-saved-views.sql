-- How a list that a saved filter narrows is shown: its columns and their order.
ALTER TABLE saved_filters ADD COLUMN view jsonb;
