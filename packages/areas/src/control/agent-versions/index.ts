// What other areas may use of the versions of the agent.
export { type Registered, releasesPath, urlOf } from './versions.queries.ts'
