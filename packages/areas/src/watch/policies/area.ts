import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { policiesExamples } from './policies.examples.ts'
import policies from './policies.ts'

export default area({
  name: 'alertPolicies',
  contract,
  handlers: { policies },
  examples: { policies: policiesExamples },
})
