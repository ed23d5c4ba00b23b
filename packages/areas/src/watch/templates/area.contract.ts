import { correlations } from './correlations.contract.ts'
import { templates } from './templates.contract.ts'

export default { correlations, templates }
