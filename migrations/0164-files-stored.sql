-- Files in the object store: what each is, whose it is, and how long it is kept. Reports, software, transfers and recordings
-- point at these rows.
CREATE TABLE files (
  id uuid PRIMARY KEY,
  -- Both null: a file of the installation.
  partner_id uuid REFERENCES partners,
  org_id uuid,
  -- What the file is for, as a noun: report, software, transfer.
  purpose varchar(50) NOT NULL CHECK (purpose ~ '^[a-z][a-z0-9_]*$'),
  -- The report, package or transfer that it belongs to.
  owner_id uuid,
  name varchar(255) NOT NULL,
  content_type varchar(255) NOT NULL,
  storage_key varchar(512) NOT NULL UNIQUE,
  -- Known when all bytes are in the store.
  size bigint CHECK (size >= 0),
  sha256 text CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'ready', 'deleted')),
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- When the sweep removes it. An upload that is not finished has a day; a finished file is kept without end when it is null.
  expires_at timestamptz DEFAULT now() + interval '1 day',
  CHECK (org_id IS NULL OR partner_id IS NOT NULL),
  CHECK (state <> 'ready' OR (size IS NOT NULL AND sha256 IS NOT NULL)),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id)
);
CREATE INDEX files_org ON files (org_id, purpose, created_at);
CREATE INDEX files_partner ON files (partner_id);
CREATE INDEX files_owner ON files (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX files_expiry ON files (expires_at) WHERE state <> 'deleted' AND expires_at IS NOT NULL;
CREATE INDEX files_deleted ON files (updated_at) WHERE state = 'deleted';
CALL protect_tenant_table('files');
-- A row goes only after its object: the sweep sees to that.
REVOKE DELETE ON files FROM muster_app;
