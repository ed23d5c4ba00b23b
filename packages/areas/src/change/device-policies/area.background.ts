import { background } from '../../background/background.ts'
import { policyEvaluation, policySweep } from './evaluation/policies.jobs.ts'

export default background({ jobs: [policyEvaluation, policySweep] })
