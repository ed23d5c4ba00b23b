// What other areas may use of assignments.
export { assignChecks, assignItems } from './assignments.ts'
