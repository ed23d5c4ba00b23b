import { area } from '../../area.ts'
import { monitorAlertsExamples } from './alerts/alerts.examples.ts'
import alerts from './alerts/alerts.ts'
import contract from './area.contract.ts'
import { monitorsExamples } from './monitors.examples.ts'
import monitors from './monitors.ts'

export default area({
  name: 'monitors',
  contract,
  handlers: { monitors, alerts },
  examples: { monitors: monitorsExamples, alerts: monitorAlertsExamples },
})
