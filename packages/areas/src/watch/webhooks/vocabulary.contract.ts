/** The audit actions of this area. */
export const actions = [
  'webhook.create',
  'webhook.update',
  'webhook.delete',
  'webhook.test',
  'webhook.retry',
  'webhook.replay',
  'webhook.disable',
] as const
