-- Looking things up by a part of their name. Beginnings come off an ordered index; parts and misspelt names off trigrams.
CREATE INDEX devices_partner_name ON devices (partner_id, lower(coalesce(display_name, hostname)) text_pattern_ops);
CREATE INDEX devices_org_name ON devices (org_id, lower(coalesce(display_name, hostname)) text_pattern_ops);
CREATE INDEX devices_names ON devices USING gin (hostname gin_trgm_ops, display_name gin_trgm_ops);
