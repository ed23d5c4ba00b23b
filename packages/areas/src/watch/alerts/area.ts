import { area } from '../../area.ts'
import { alertsExamples } from './alerts.examples.ts'
import alerts from './alerts.ts'
import contract from './area.contract.ts'
import { rulesExamples } from './rules/rules.examples.ts'
import rules from './rules/rules.ts'

export default area({
  name: 'alerts',
  contract,
  handlers: { alerts, rules },
  examples: { alerts: alertsExamples, rules: rulesExamples },
})
