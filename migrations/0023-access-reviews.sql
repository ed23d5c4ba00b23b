-- Reviews of who has access: a snapshot of memberships, a decision on each, and what came of it.
CREATE TABLE access_reviews (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  name varchar(255) NOT NULL,
  description text,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'overdue', 'completed')),
  -- Are the members of the partner's organisations reviewed as well?
  includes_organizations boolean NOT NULL DEFAULT false,
  due_at timestamptz NOT NULL,
  created_by uuid NOT NULL REFERENCES users,
  reminded_at timestamptz,
  completed_at timestamptz,
  completed_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  UNIQUE (id, partner_id)
);
CREATE INDEX access_reviews_partner ON access_reviews (partner_id, created_at DESC, id);
CREATE INDEX access_reviews_org ON access_reviews (org_id, created_at DESC, id);
CREATE INDEX access_reviews_due ON access_reviews (due_at) WHERE status <> 'completed';

-- One membership as it was when the review began. partner_id and org_id are the review's; where the member belongs is in
-- member_org_id.
CREATE TABLE access_review_items (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  review_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  org_id uuid,
  membership_id uuid NOT NULL,
  member_org_id uuid,
  member_org_name varchar(255),
  user_id uuid NOT NULL,
  user_email varchar(255) NOT NULL,
  user_name varchar(255) NOT NULL,
  role_id uuid NOT NULL,
  role_name varchar(100) NOT NULL,
  org_access text CHECK (org_access IN ('all', 'selected', 'none')),
  org_ids uuid[],
  site_ids uuid[],
  device_group_ids uuid[],
  last_login_at timestamptz,
  member_since timestamptz NOT NULL,
  decision text NOT NULL DEFAULT 'pending' CHECK (decision IN ('pending', 'approved', 'revoked')),
  reason text,
  decided_by uuid REFERENCES users,
  decided_at timestamptz,
  outcome text CHECK (outcome IN ('kept', 'revoked', 'gone')),
  FOREIGN KEY (review_id, partner_id) REFERENCES access_reviews (id, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  UNIQUE (review_id, membership_id)
);
CREATE INDEX access_review_items_names ON access_review_items (review_id, user_name, id);
CALL protect_tenant_table('access_reviews');
CALL protect_tenant_table('access_review_items');
REVOKE DELETE ON access_reviews, access_review_items FROM muster_app;
CREATE TRIGGER touch BEFORE UPDATE ON access_reviews FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
