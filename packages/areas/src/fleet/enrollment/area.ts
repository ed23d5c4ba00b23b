import { area } from '../../area.ts'
import agents from './agents.ts'
import contract from './area.contract.ts'
import codes from './codes/codes.ts'
import { agentsExamples, codesExamples, keysExamples, provisionExamples } from './enrollment.examples.ts'
import keys from './keys/keys.ts'
import provision from './provision.ts'

export default area({
  name: 'enrollment',
  contract,
  handlers: { agents, codes, keys, provision },
  examples: { agents: agentsExamples, codes: codesExamples, keys: keysExamples, provision: provisionExamples },
})
