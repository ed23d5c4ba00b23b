import { monitorAlerts } from './alerts/alerts.contract.ts'
import { monitors } from './monitors.contract.ts'

export default { monitors, alerts: monitorAlerts }
