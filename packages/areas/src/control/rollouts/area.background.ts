import { background } from '../../background.ts'
import { agentUpdates } from './offers.jobs.ts'

export default background({ jobs: [agentUpdates] })
