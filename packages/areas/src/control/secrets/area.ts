import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { secretsExamples } from './secrets.examples.ts'
import secrets from './secrets.ts'

export default area({
  name: 'secrets',
  contract,
  handlers: { secrets },
  examples: { secrets: secretsExamples },
})
