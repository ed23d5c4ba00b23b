// What other areas may use of live events.
export { liveEventsOf, type WatchedEvent } from './live-events.ts'
export { liveEvent, publishEvents } from './publish.ts'
