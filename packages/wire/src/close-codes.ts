/** Why a socket was closed, and whether and when the agent may reconnect. */
export interface CloseCode {
  code: number
  name: string
  meaning: string
  /** `true`: reconnect with back-off. `renewed`: only with another certificate. `false`: stop until restarted. */
  mayReturn: boolean | 'renewed'
  minimumDelayMs: number
}

export const closeCodes = {
  malformed: {
    code: 4000,
    name: 'malformed',
    meaning: 'A frame was not one complete msgpack array of the documented form.',
    mayReturn: true,
    minimumDelayMs: 30_000,
  },
  unknownType: {
    code: 4001,
    name: 'unknown-type',
    meaning: 'The frame type is not one that an agent may send, or not in the current state.',
    mayReturn: true,
    minimumDelayMs: 30_000,
  },
  tooLarge: {
    code: 4002,
    name: 'too-large',
    meaning: 'The frame is larger than its type allows.',
    mayReturn: true,
    minimumDelayMs: 30_000,
  },
  unsupportedProtocol: {
    code: 4003,
    name: 'unsupported-protocol',
    meaning: 'The server supports none of the protocol versions that the agent offered.',
    mayReturn: true,
    minimumDelayMs: 600_000,
  },
  badCertificate: {
    code: 4010,
    name: 'bad-certificate',
    meaning: 'The device certificate was not signed by this server.',
    mayReturn: 'renewed',
    minimumDelayMs: 60_000,
  },
  badSignature: {
    code: 4011,
    name: 'bad-signature',
    meaning: 'The proof does not match the nonce of this socket: wrong key, or a replay.',
    mayReturn: true,
    minimumDelayMs: 60_000,
  },
  certificateExpired: {
    code: 4012,
    name: 'certificate-expired',
    meaning: 'The device certificate has expired.',
    mayReturn: 'renewed',
    minimumDelayMs: 60_000,
  },
  revoked: {
    code: 4013,
    name: 'revoked',
    meaning: 'The device was decommissioned or its certificate replaced.',
    mayReturn: 'renewed',
    minimumDelayMs: 3_600_000,
  },
  replaced: {
    code: 4014,
    name: 'replaced',
    meaning: 'A newer connection of the same device took over.',
    mayReturn: true,
    minimumDelayMs: 60_000,
  },
  quarantined: {
    code: 4015,
    name: 'quarantined',
    meaning: 'Two machines use the key of this device; a user has to release it from quarantine.',
    mayReturn: true,
    minimumDelayMs: 300_000,
  },
  helloTimeout: {
    code: 4020,
    name: 'hello-timeout',
    meaning: 'No valid hello came in time.',
    mayReturn: true,
    minimumDelayMs: 5_000,
  },
  tooManyFrames: {
    code: 4021,
    name: 'too-many-frames',
    meaning: 'The device sent more frames or bytes than its allowance.',
    mayReturn: true,
    minimumDelayMs: 60_000,
  },
  slowReader: {
    code: 4022,
    name: 'slow-reader',
    meaning: 'The agent was too slow to read what the server sent.',
    mayReturn: true,
    minimumDelayMs: 5_000,
  },
  goingAway: {
    code: 4030,
    name: 'going-away',
    meaning: 'The server is stopping; reconnect after the time in the retry message.',
    mayReturn: true,
    minimumDelayMs: 0,
  },
  overloaded: {
    code: 4031,
    name: 'overloaded',
    meaning: 'The server cannot accept this socket now; reconnect after the time in the retry message.',
    mayReturn: true,
    minimumDelayMs: 5_000,
  },
  idle: {
    code: 4032,
    name: 'idle',
    meaning: 'No frame came for several heartbeat intervals.',
    mayReturn: true,
    minimumDelayMs: 0,
  },
} as const satisfies Record<string, CloseCode>

export type CloseName = keyof typeof closeCodes

const byCode: ReadonlyMap<number, CloseCode> = new Map(Object.values(closeCodes).map((entry) => [entry.code, entry]))

/** The entry of a close code that a socket reported; undefined for unknown codes. */
export function closeCodeOf(code: number): CloseCode | undefined {
  return byCode.get(code)
}
