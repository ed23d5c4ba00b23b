/** The audit actions of this area. */
export const actions = [
  'alert_channel.create',
  'alert_channel.update',
  'alert_channel.delete',
  'alert_channel.test',
] as const
