import description from '../package.json' with { type: 'json' }

/** The version that this agent reports. */
export const agentVersion = description.version
