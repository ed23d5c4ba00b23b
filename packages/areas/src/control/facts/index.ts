// What other areas may use of facts.
export { factKey } from './fact-key.ts'
export { assignFacts, factsOf } from './facts.ts'
