import { automations } from './automations.contract.ts'
import { runs } from './runs/runs.contract.ts'

export default { automations, runs }
