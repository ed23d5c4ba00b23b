import { background } from '../../background/background.ts'
import { automationPlans } from './automations.plans.ts'
import { automationsOfScripts } from './automations.script-uses.ts'
import { automationRequests } from './runs/actions/webhook.action.ts'
import { commandEnds } from './runs/command-ends.outcomes.ts'
import { automationEngine } from './runs/engine/engine.jobs.ts'
import { automationRetention } from './runs/retention.jobs.ts'
import { automationFollower } from './triggers/event-triggers.followers.ts'
import { automationSchedules } from './triggers/schedules.jobs.ts'

export default background({
  jobs: [automationEngine, automationRetention, automationSchedules],
  followers: [automationFollower],
  deliveryKinds: [automationRequests],
  outcomes: [commandEnds],
  planKinds: [automationPlans],
  scriptUses: [automationsOfScripts],
})
