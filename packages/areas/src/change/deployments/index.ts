// What other areas may use of deployments.

export { deployAtOnce } from './course/deploy-at-once.ts'
export { commandDeployments } from './kinds/command.deployment-kinds.ts'
