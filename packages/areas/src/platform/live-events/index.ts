// What other areas may use of live events.
export { liveEventsOf, type WatchedEvent } from './live-events.ts'
export { liveEvent, type PartnerEvent, publishEvents } from './publish.ts'
