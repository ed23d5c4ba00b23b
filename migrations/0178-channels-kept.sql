-- Ways in which people hear of alerts. The queue of a channel is the lane `channel:<id>`.
CREATE TABLE alert_channels (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  name varchar(255) NOT NULL,
  type text NOT NULL CHECK (type IN ('email', 'slack', 'teams', 'webhook', 'pagerduty', 'sms')),
  enabled boolean NOT NULL DEFAULT true,
  send_resolved boolean NOT NULL DEFAULT true,
  -- What may be shown of the configuration, and the rest, sealed.
  config jsonb NOT NULL,
  secrets text,
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (id, partner_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX alert_channels_partner ON alert_channels (partner_id, name, id);
CREATE INDEX alert_channels_org ON alert_channels (org_id);
CALL protect_tenant_table('alert_channels');
CREATE TRIGGER touch BEFORE UPDATE ON alert_channels FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- What sends to a channel. A channel that is used cannot be deleted.
CREATE TABLE alert_channel_uses (
  channel_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid,
  -- The alert rule, policy or monitor, such as `policy:<id>`.
  used_by text NOT NULL CHECK (length(used_by) <= 100),
  PRIMARY KEY (channel_id, used_by),
  FOREIGN KEY (channel_id, partner_id) REFERENCES alert_channels (id, partner_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX alert_channel_uses_user ON alert_channel_uses (used_by);
CREATE INDEX alert_channel_uses_org ON alert_channel_uses (org_id);
CREATE INDEX alert_channel_uses_partner ON alert_channel_uses (partner_id);
CALL protect_tenant_table('alert_channel_uses');
