/** What records of this area's changes are called in the audit log. */
export const actions = [
  'device.update',
  'device.move',
  'device.decommission',
  'device.quarantine',
  'device.release',
  'device.duplicate.dismiss',
] as const
