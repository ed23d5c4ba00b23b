import { executions } from './executions/executions.contract.ts'
import { scripts } from './scripts.contract.ts'
import { systemScripts } from './system-library/system-scripts.contract.ts'

export default { executions, scripts, systemScripts }
