// What other areas may use of maintenance windows.
export { instantsOf, localOf } from './recurrence/wall-time.rules.ts'
export { countHeldBack, heldBack, verdictsOf } from './verdicts.ts'
