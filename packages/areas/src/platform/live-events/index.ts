// What other areas may use of live events.
export type { Watched } from './event-queue.ts'
export { liveEventsOf } from './live-events.ts'
