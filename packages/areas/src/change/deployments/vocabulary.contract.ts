/** The audit actions of this area. */
export const actions = [
  'deployment.create',
  'deployment.update',
  'deployment.delete',
  'deployment.initialize',
  'deployment.start',
  'deployment.pause',
  'deployment.resume',
  'deployment.pass',
  'deployment.cancel',
  'deployment.retry',
  'deployment.halt',
  'deployment.complete',
] as const
