import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { correlationsExamples } from './correlations.examples.ts'
import correlations from './correlations.ts'
import { templatesExamples } from './templates.examples.ts'
import templates from './templates.ts'

export default area({
  name: 'alertTemplates',
  contract,
  handlers: { correlations, templates },
  examples: { correlations: correlationsExamples, templates: templatesExamples },
})
