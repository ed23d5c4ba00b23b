-- What was done, by whom. The application role can add and read, never change or remove.
CREATE TABLE audit_logs (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  at timestamptz NOT NULL DEFAULT now(),
  partner_id uuid,
  org_id uuid,
  actor_type text NOT NULL CHECK (actor_type IN ('user', 'api-key', 'agent', 'system', 'anonymous')),
  actor_id uuid,
  actor_email text,
  action text NOT NULL,
  resource_type text NOT NULL,
  resource_id text,
  resource_name text,
  result text NOT NULL DEFAULT 'success' CHECK (result IN ('success', 'failure', 'denied')),
  details jsonb NOT NULL DEFAULT '{}',
  changed_fields text[],
  ip_address varchar(45),
  user_agent text,
  request_id text,
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE TABLE audit_logs_default PARTITION OF audit_logs DEFAULT;
CREATE INDEX audit_logs_partner ON audit_logs (partner_id, at DESC);
CREATE INDEX audit_logs_org ON audit_logs (org_id, at DESC);
CALL protect_tenant_table('audit_logs');
REVOKE UPDATE, DELETE ON audit_logs FROM muster_app;
