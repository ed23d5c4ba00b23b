-- Deleting a partner deletes its organizations. Those of partners that were deleted before are brought in line.
UPDATE organizations o SET deleted_at = p.deleted_at
  FROM partners p WHERE p.id = o.partner_id AND p.deleted_at IS NOT NULL AND o.deleted_at IS NULL;
