/** What records of this area's changes are called in the audit log. */
export const actions = [
  'device.process.kill',
  'device.service.start',
  'device.service.stop',
  'device.service.restart',
  'device.registry.write',
  'device.registry.delete',
  'device.task.run',
  'device.task.enable',
  'device.task.disable',
  'device.file.read',
  'device.registry.read',
  'device.file.write',
] as const
