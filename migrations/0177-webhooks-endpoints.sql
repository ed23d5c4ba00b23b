-- Endpoints that events are sent to. Their queue is the lane `webhook:<id>`.
CREATE TABLE webhooks (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  name varchar(255) NOT NULL,
  url varchar(2000) NOT NULL,
  events text[] NOT NULL,
  filter jsonb NOT NULL DEFAULT '{}',
  header_names text[] NOT NULL DEFAULT '{}',
  -- Sealed: the headers as JSON, and the secrets. The previous one signs too until its time is over.
  headers text,
  secret text NOT NULL,
  previous_secret text,
  previous_until timestamptz,
  concurrency integer NOT NULL DEFAULT 2 CHECK (concurrency BETWEEN 1 AND 10),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  disabled_reason varchar(500),
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX webhooks_partner ON webhooks (partner_id, name, id);
CREATE INDEX webhooks_org ON webhooks (org_id);
CALL protect_tenant_table('webhooks');
CREATE TRIGGER touch BEFORE UPDATE ON webhooks FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
