import { ordersRouted } from '../../background/arrival.ts'
import { background } from '../../background/background.ts'
import { waitingRuns } from './approvals/approvals.script-uses.ts'
import { openCommands } from './delivery/open-commands.ts'
import { orderRefusals, ordersRefused } from './delivery/order-refusals.records.ts'
import { commandReroute, commandSweep, commandsSwept } from './delivery/sweeps.jobs.ts'
import { unopenedCommands } from './delivery/unopened.records.ts'
import { settingsAtArrival, settingsDue } from './device-settings/send-settings.ts'
import { expiredPlans } from './plans/expired-plans.jobs.ts'
import { commandReports } from './results/commands.records.ts'
import { commandStops } from './stops/stops.jobs.ts'

export default background({
  jobs: [commandReroute, commandStops, commandSweep, expiredPlans, settingsDue],
  records: [commandReports, orderRefusals, unopenedCommands],
  arrivals: [settingsAtArrival, openCommands],
  scriptUses: [waitingRuns],
  counters: [commandsSwept, ordersRefused, ordersRouted],
})
