import { background } from '../../background/background.ts'
import { aliveAt, aliveFailures, systemCanary } from './alive/alive.jobs.ts'
import { ruleChecks, ruleObserver } from './checks/agent-checks.ts'
import { eventAlerts } from './checks/events.followers.ts'
import { filterAlerts, leftTargets } from './checks/filter.jobs.ts'
import { forecastAlerts } from './checks/forecast.jobs.ts'
import { offlineAlerts } from './checks/offline.jobs.ts'
import { returnAlerts } from './checks/returns.followers.ts'
import { heartbeatRules } from './evaluation/heartbeats.evaluator.ts'
import { ruleChanges } from './evaluation/rule-sets.ts'
import { alertSweep, alertTimes } from './lifecycle/timeouts.jobs.ts'

export default background({
  jobs: [
    systemCanary,
    alertTimes,
    alertSweep,
    ruleChanges,
    offlineAlerts,
    filterAlerts,
    leftTargets,
    forecastAlerts,
    ruleChecks,
  ],
  counters: [aliveFailures],
  gauges: [aliveAt],
  followers: [eventAlerts, returnAlerts],
  observers: [ruleObserver],
  evaluators: [heartbeatRules],
})
