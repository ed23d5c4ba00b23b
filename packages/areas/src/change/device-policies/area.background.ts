import { background } from '../../background/background.ts'
import { policyEvaluation, policySweep } from './evaluation/policies.jobs.ts'
import { policyChanges } from './evaluation/policy-changes.ts'
import { policiesOfScripts } from './policies.script-uses.ts'
import { enforcementPlans } from './remediation/enforcement.plans.ts'
import { policyDeployments } from './remediation/policy.deployment-kinds.ts'
import { policyRemediation } from './remediation/remediation.jobs.ts'

export default background({
  jobs: [policyEvaluation, policyRemediation, policySweep],
  changeFollowers: [policyChanges],
  deploymentKinds: [policyDeployments],
  planKinds: [enforcementPlans],
  scriptUses: [policiesOfScripts],
})
