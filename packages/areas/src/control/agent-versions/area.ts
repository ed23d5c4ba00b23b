import { area } from '../../area.ts'
import { distributionExamples, versionsExamples } from './agent-versions.examples.ts'
import contract from './area.contract.ts'
import distribution from './distribution.ts'
import versions from './versions.ts'

export default area({
  name: 'agentVersions',
  contract,
  handlers: { distribution, versions },
  examples: { distribution: distributionExamples, versions: versionsExamples },
})
