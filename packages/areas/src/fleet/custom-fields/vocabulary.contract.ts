/** What records of this area's changes are called in the audit log. */
export const actions = [
  'device.custom_fields.update',
  'custom_field.create',
  'custom_field.update',
  'custom_field.delete',
] as const
