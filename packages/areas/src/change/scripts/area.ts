import { area } from '../../area.ts'
import contract from './area.contract.ts'
import executions from './executions/executions.ts'
import { executionsExamples, scriptsExamples } from './scripts.examples.ts'
import scripts from './scripts.ts'
import { systemScriptsExamples } from './system-library/system-scripts.examples.ts'
import systemScripts from './system-library/system-scripts.ts'

export default area({
  name: 'scripts',
  contract,
  handlers: { executions, scripts, systemScripts },
  examples: { executions: executionsExamples, scripts: scriptsExamples, systemScripts: systemScriptsExamples },
})
