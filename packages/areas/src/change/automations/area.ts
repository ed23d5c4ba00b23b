import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { automationsExamples, runsExamples } from './automations.examples.ts'
import automations from './automations.ts'
import runs from './runs/runs.ts'

export default area({
  name: 'automations',
  contract,
  handlers: { automations, runs },
  examples: { automations: automationsExamples, runs: runsExamples },
})
