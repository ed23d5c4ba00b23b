-- Messages to endpoints outside. A lane is one endpoint: its limits, and how it has answered lately.
CREATE TABLE delivery_lanes (
  lane text PRIMARY KEY CHECK (length(lane) <= 100),
  -- Of the owner of the endpoint. An endpoint of the whole partner has no organization.
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  kind text NOT NULL,
  -- How many deliveries are under way at once, and the least time between two.
  concurrency integer NOT NULL CHECK (concurrency BETWEEN 1 AND 10),
  spacing_ms integer NOT NULL DEFAULT 0 CHECK (spacing_ms >= 0),
  -- When a delivery is due next, and a time before which none is started: after failures, between two, while it is closed.
  due_at timestamptz NOT NULL DEFAULT 'infinity',
  not_before timestamptz NOT NULL DEFAULT '-infinity',
  -- How long a delivery is tried; without end unless set.
  lasts_ms integer CHECK (lasts_ms > 0),
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  last_success_at timestamptz,
  last_error text,
  UNIQUE (lane, partner_id),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX delivery_lanes_due ON delivery_lanes (greatest(due_at, not_before));
CREATE INDEX delivery_lanes_org ON delivery_lanes (org_id);
CREATE INDEX delivery_lanes_partner ON delivery_lanes (partner_id);
CALL protect_tenant_table('delivery_lanes');

CREATE TABLE deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL,
  org_id uuid,
  lane text NOT NULL,
  -- Names the message. The same key is queued once for each lane.
  key text NOT NULL CHECK (length(key) <= 300),
  payload jsonb NOT NULL,
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'delivering', 'succeeded', 'failed', 'canceled')),
  tries integer NOT NULL DEFAULT 0,
  -- While one is delivered: when another worker may try it.
  next_attempt_at timestamptz DEFAULT now(),
  -- A list of {at, status, durationMs, error, body}.
  attempts jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now(),
  -- From here the time for its tries counts. A repeated delivery begins again.
  began_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  UNIQUE (lane, key),
  CHECK ((status IN ('pending', 'delivering')) = (next_attempt_at IS NOT NULL)),
  FOREIGN KEY (lane, partner_id) REFERENCES delivery_lanes (lane, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX deliveries_open ON deliveries (lane, next_attempt_at) WHERE status IN ('pending', 'delivering');
CREATE INDEX deliveries_lane ON deliveries (lane, created_at DESC, id);
CREATE INDEX deliveries_org ON deliveries (org_id);
CREATE INDEX deliveries_partner ON deliveries (partner_id);
CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;
CALL protect_tenant_table('deliveries');
