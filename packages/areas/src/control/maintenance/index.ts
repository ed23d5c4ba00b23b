// What other areas may use of maintenance windows.
export { countHeldBack, heldBack, verdictsOf } from './verdicts.ts'
