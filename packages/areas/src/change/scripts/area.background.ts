import { background } from '../../background/background.ts'
import { openExecutions } from './executions/executions.script-uses.ts'
import { scriptDeployments } from './executions/script.deployment-kinds.ts'
import { scriptRuns } from './executions/script-runs.outcomes.ts'

export default background({
  outcomes: [scriptRuns],
  deploymentKinds: [scriptDeployments],
  scriptUses: [openExecutions],
})
