import { background } from '../../background/background.ts'
import { policyEvaluation, policySweep } from './evaluation/policies.jobs.ts'
import { policiesOfScripts } from './policies.script-uses.ts'

export default background({ jobs: [policyEvaluation, policySweep], scriptUses: [policiesOfScripts] })
