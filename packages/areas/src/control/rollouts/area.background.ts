import { background } from '../../background/background.ts'
import { agentVersionDeployments } from './offers/agent-version.deployment-kinds.ts'
import { agentUpdates } from './offers.jobs.ts'
import { updateReports } from './updates/updates.records.ts'

export default background({
  jobs: [agentUpdates],
  records: [updateReports],
  deploymentKinds: [agentVersionDeployments],
})
