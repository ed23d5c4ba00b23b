/** What records of this area's changes are called in the audit log. */
export const actions = [
  'device.order_refused',
  'device.auto_update',
  'device.command',
  'device.command.cancel',
  'device.command.bulk',
  'device.command.request',
  'device.command.approve',
  'device.command.refuse',
  'device.command.stop',
  'device.command.allow',
] as const
