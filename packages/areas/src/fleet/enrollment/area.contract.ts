import { agents } from './agents.contract.ts'
import { codes } from './codes/codes.contract.ts'
import { keys } from './keys/keys.contract.ts'
import { provision } from './provision.contract.ts'

export default { agents, codes, keys, provision }
