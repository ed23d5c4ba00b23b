-- Templates give their rules channels, a policy and rules that they depend on, too.
ALTER TABLE alert_templates
  ADD COLUMN channel_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN policy_id uuid,
  ADD COLUMN depends_on_rule_ids uuid[] NOT NULL DEFAULT '{}';

-- Rules keep what they named themselves so far.
UPDATE alert_rules SET overrides = overrides
    || CASE WHEN channel_ids <> '{}' THEN ARRAY['channelIds'] ELSE '{}' END
    || CASE WHEN policy_id IS NOT NULL THEN ARRAY['policyId'] ELSE '{}' END
    || CASE WHEN depends_on_rule_ids <> '{}' THEN ARRAY['dependsOnRuleIds'] ELSE '{}' END
  WHERE template_id IS NOT NULL AND (channel_ids <> '{}' OR policy_id IS NOT NULL OR depends_on_rule_ids <> '{}');
