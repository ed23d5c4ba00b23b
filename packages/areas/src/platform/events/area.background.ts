import { background } from '../../background/background.ts'
import { eventsFailed, eventsHandled } from './follow.ts'
import { eventPartitions, eventRetention } from './retention.jobs.ts'

export default background({
  jobs: [eventPartitions, eventRetention],
  counters: [eventsHandled, eventsFailed],
})
