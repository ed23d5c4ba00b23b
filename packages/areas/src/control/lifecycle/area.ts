import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { lifecycleExamples } from './lifecycle.examples.ts'
import lifecycle from './lifecycle.ts'

export default area({
  name: 'lifecycle',
  contract,
  handlers: { lifecycle },
  examples: { lifecycle: lifecycleExamples },
})
