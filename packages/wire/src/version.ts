/** The version that this code speaks, and the versions that it still understands, newest first. */
export const protocolVersion = 1
export const supportedProtocols: readonly number[] = [1]

export const subprotocol = 'muster.v1'
export const agentPath = '/agent'

/** Fingerprint of every message's schema; version.test.ts says what to do when it no longer matches. */
export const schemaHash = 'e0f2557f7741b448'
