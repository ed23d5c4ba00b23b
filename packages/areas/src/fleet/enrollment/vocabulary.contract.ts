/** What records of this area's changes are called in the audit log. */
export const actions = [
  'enrollment_key.create',
  'enrollment_key.delete',
  'enrollment_key.rotate',
  'enrollment_code.create',
  'enrollment_code.revoke',
  'device.enroll',
  'device.possible_duplicate',
  'device.provision',
] as const
