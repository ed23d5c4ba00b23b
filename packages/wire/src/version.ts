/** The version of this code, and the versions that it still supports, newest first. */
export const protocolVersion = 2
export const supportedProtocols: readonly number[] = [2, 1]

/** From this version on, agents accept only signed orders. */
export const signedOrdersProtocol = 2

export const subprotocol = 'muster.v1'
export const agentPath = '/agent'

/** Fingerprint of every message's schema; version.test.ts explains what to do when it changes. */
export const schemaHash = 'c0f242228ec4c7a7'
