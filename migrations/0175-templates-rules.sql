-- Templates of alert rules, and what each rule set itself instead of taking it from its template.
CREATE TABLE alert_templates (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  -- Null: the rules of the whole partner may use it.
  org_id uuid,
  key varchar(63) NOT NULL,
  category varchar(50) NOT NULL,
  name varchar(255) NOT NULL,
  description varchar(2000),
  severity text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low', 'info')),
  -- With parameters in the place of values.
  conditions jsonb NOT NULL,
  for_seconds integer NOT NULL,
  clear_for_seconds integer NOT NULL,
  auto_resolve boolean NOT NULL,
  reopen_seconds integer NOT NULL,
  title varchar(1000),
  message varchar(4000),
  parameters jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE UNIQUE INDEX alert_templates_key ON alert_templates (partner_id, coalesce(org_id, partner_id), key);
CREATE INDEX alert_templates_name ON alert_templates (partner_id, name, id);
CREATE INDEX alert_templates_org ON alert_templates (org_id, name, id);
CREATE TRIGGER touch BEFORE UPDATE ON alert_templates FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CALL protect_tenant_table('alert_templates');
-- What applies to a whole partner is read, not written, by the members of its organizations.
CREATE POLICY of_partner ON alert_templates FOR SELECT TO muster_app
  USING (org_id IS NULL AND partner_id = (SELECT caller_home_partner()));

ALTER TABLE alert_rules ADD COLUMN overrides text[] NOT NULL DEFAULT '{}';
CREATE INDEX alert_rules_template ON alert_rules (template_id) WHERE template_id IS NOT NULL;
