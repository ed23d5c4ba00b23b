import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { apiKeysExamples } from './keys.examples.ts'
import keys from './keys.ts'

export default area({
  name: 'apiKeys',
  contract,
  handlers: { keys },
  examples: { keys: apiKeysExamples },
})
