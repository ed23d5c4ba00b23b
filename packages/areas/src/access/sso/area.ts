import { area } from '../../area.ts'
import contract from './area.contract.ts'
import flow from './flow.ts'
import providers from './providers/providers.ts'
import scimTokens from './scim-tokens.ts'
import { flowExamples, providersExamples, scimTokensExamples } from './sso.examples.ts'

export default area({
  name: 'sso',
  contract,
  handlers: { flow, providers, scimTokens },
  examples: { flow: flowExamples, providers: providersExamples, scimTokens: scimTokensExamples },
})
