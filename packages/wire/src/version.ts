/** The version that this code speaks, and the versions that it still understands, newest first. */
export const protocolVersion = 2
export const supportedProtocols: readonly number[] = [2, 1]

/** From this version on, agents obey signed orders alone. */
export const signedOrdersProtocol = 2

export const subprotocol = 'muster.v1'
export const agentPath = '/agent'

/** Fingerprint of every message's schema; version.test.ts says what to do when it no longer matches. */
export const schemaHash = '568cfea3d790d46a'
