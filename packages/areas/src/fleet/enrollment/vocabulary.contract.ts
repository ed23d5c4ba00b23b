/** The audit actions of this area. */
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
