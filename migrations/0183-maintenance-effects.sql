-- Windows without effects do not exist.
ALTER TABLE maintenance_windows ALTER COLUMN effects DROP DEFAULT;
