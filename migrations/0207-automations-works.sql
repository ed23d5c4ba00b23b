-- What the steps of automations send to devices: fixed when a person enables or edits the automation, until the next time.
CREATE TABLE automation_works (
  automation_id uuid NOT NULL,
  -- Of the step.
  number integer NOT NULL CHECK (number > 0),
  partner_id uuid NOT NULL REFERENCES partners,
  org_id uuid,
  -- Of the work. Runs name it, so that a run never sends what was fixed after its start.
  hash text NOT NULL,
  work jsonb NOT NULL,
  -- A script that is in use is not deleted.
  script_id uuid,
  PRIMARY KEY (automation_id, number),
  FOREIGN KEY (org_id, partner_id) REFERENCES organizations (id, partner_id),
  FOREIGN KEY (automation_id, partner_id) REFERENCES automations (id, partner_id) ON DELETE CASCADE,
  FOREIGN KEY (script_id, partner_id) REFERENCES scripts (id, partner_id)
);
CREATE INDEX automation_works_script ON automation_works (script_id) WHERE script_id IS NOT NULL;
CREATE INDEX automation_works_org ON automation_works (org_id);
CALL protect_tenant_table('automation_works');
