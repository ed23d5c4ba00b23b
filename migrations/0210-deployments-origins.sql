-- What made a deployment, if it was not a person: the automation, its run and what led to it.
ALTER TABLE deployments ADD COLUMN origin jsonb;
