import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { healthExamples } from './health.examples.ts'
import health from './health.ts'

export default area({
  name: 'health',
  contract,
  handlers: { health },
  examples: { health: healthExamples },
})
