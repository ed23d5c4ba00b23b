import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { liveExamples } from './live.examples.ts'
import live from './live.ts'

export default area({
  name: 'devices',
  contract,
  handlers: { live },
  examples: { live: liveExamples },
})
