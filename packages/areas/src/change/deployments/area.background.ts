import { background } from '../../background/background.ts'
import { deploymentPlans } from './course/deployment.plans.ts'
import { openDeployments } from './deployments.script-uses.ts'
import { deploymentEnds } from './engine/deployment-ends.outcomes.ts'
import { deploymentTurns } from './engine/turns.jobs.ts'
import { commandDeployments } from './kinds/command.deployment-kinds.ts'

export default background({
  jobs: [deploymentTurns],
  outcomes: [deploymentEnds],
  planKinds: [deploymentPlans],
  deploymentKinds: [commandDeployments],
  scriptUses: [openDeployments],
})
