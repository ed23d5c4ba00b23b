import { alerts } from './alerts.contract.ts'
import { rules } from './rules/rules.contract.ts'

export default { alerts, rules }
