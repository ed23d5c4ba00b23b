import { flow } from './flow.contract.ts'
import { providers, scimTokens } from './providers/providers.contract.ts'

export default { flow, providers, scimTokens }
