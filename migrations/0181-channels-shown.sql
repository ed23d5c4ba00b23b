-- The secret fields that are set, so that a list does not open what is sealed: one value that cannot be opened would fail it.
ALTER TABLE alert_channels ADD COLUMN secret_fields text[] NOT NULL DEFAULT '{}';
UPDATE alert_channels SET secret_fields = CASE type
  WHEN 'webhook' THEN '{headers,secret}'::text[]
  WHEN 'pagerduty' THEN '{routingKey}'
  ELSE '{webhookUrl}' END
WHERE secrets IS NOT NULL;
ALTER TABLE alert_channels ALTER COLUMN secret_fields DROP DEFAULT;
