import { release } from './release.ts'

/** The version that this agent reports. */
export const agentVersion = release.version
