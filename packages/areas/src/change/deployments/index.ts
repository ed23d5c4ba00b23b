// What other areas may use of deployments.

export { requireSoundStrategy } from './batches/shown-strategy.ts'
export { deployAtOnce } from './course/deploy-at-once.ts'
export { deployInBackground } from './course/deploy-in-background.ts'
export { commandDeployments } from './kinds/command.deployment-kinds.ts'
