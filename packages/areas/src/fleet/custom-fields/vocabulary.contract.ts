/** The audit actions of this area. */
export const actions = [
  'device.custom_fields.update',
  'custom_field.create',
  'custom_field.update',
  'custom_field.delete',
] as const
