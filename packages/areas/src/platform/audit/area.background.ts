import { background } from '../../background/background.ts'
import { auditChain, auditHeads, auditPartitions } from './chain/chain.jobs.ts'

export default background({ jobs: [auditChain, auditHeads, auditPartitions] })
