// What other areas and the worker may use of events.
export { causedBy } from './cause.ts'
export { adoptRestored, beginCursors, dueFollowers } from './cursors.ts'
export { emit, emitAll, eventOf, insertEvents } from './emit.ts'
export { followOnce } from './follow.ts'
export { ensureEventPartitions } from './retention.jobs.ts'
