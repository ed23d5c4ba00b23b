import { deviceOfField, presenceField, roleOfField } from '@muster/backplane/presence.ts'
import type { Role } from '@muster/wire/messages/hello.ts'
import type { Allowance, Rates } from './allowance.ts'
import type { Identity } from './certificate.ts'

/** What a connection needs of its socket; only server.ts knows more about it. */
export interface Socket {
  /** 0: taken but waiting, 1: sent, 2: dropped. */
  send(message: Uint8Array, binary: boolean): number
  end(code: number, reason: string): void
  close(): void
  getBufferedAmount(): number
  getRemoteAddressAsText(): ArrayBuffer
}

/** What a socket has to answer before it is anybody's. */
export interface Challenge {
  nonce: Uint8Array
  /** Whether a ticket may be tried: once on each socket. */
  mayResume: boolean
}

/**
 * One agent socket: `challenged` until its hello is accepted, then `live`, then `closed`. Flat and small, there are
 * tens of thousands of them: what can be had from the socket or the id is not kept. Fields of a live device have
 * neutral values before.
 */
export interface Connection extends Allowance {
  state: 'challenged' | 'live' | 'closed'
  socket: Socket | undefined
  /** Counts the connections of this process; tells an old one of a device from a newer one. */
  number: number
  /** Of the last frame, or of its opening. In ticks of the sweep, which no change of the clock can move. */
  lastFrameTick: number
  /** Met by the agent's answer, then forgotten, so that no second answer can use it. */
  challenge: Challenge | undefined
  /** The sweep at which the agent is given another ticket; 0 for one that keeps none. */
  ticketDueTick: number
  /** Device id, with `/watchdog` for a watchdog: the name under which it is known to everybody. */
  field: string
  bootId: number
  generation: number
  certificateExpiresAtSeconds: number
  agentVersion: string
  /** The version of the protocol that the agent chose; 0 before it did. */
  protocol: number
}

/** A socket that has just been opened. */
export function createConnection(number: number, tick: number): Connection {
  return {
    state: 'challenged',
    socket: undefined,
    number,
    lastFrameTick: tick,
    challenge: undefined,
    ticketDueTick: 0,
    field: '',
    bootId: 0,
    generation: 0,
    certificateExpiresAtSeconds: 0,
    agentVersion: '',
    protocol: 0,
    milliFrames: 0,
    bytes: 0,
    refilledAt: 0,
  }
}

/** What a hello adds to what the certificate says. */
export interface Introduction {
  protocol: number
  role: Role
  bootId: number
  agentVersion: string
  /** Serial number of the statement of order keys that the agent trusts. */
  orderKeys?: number | undefined
}

/** Turns a challenged connection into a device's live one. */
export function makeLive(connection: Connection, identity: Identity, hello: Introduction, rates: Rates): void {
  connection.state = 'live'
  connection.challenge = undefined
  connection.field = presenceField(identity.deviceId, hello.role)
  connection.bootId = hello.bootId
  connection.agentVersion = sharedText(hello.agentVersion)
  connection.protocol = hello.protocol
  connection.generation = identity.generation
  connection.certificateExpiresAtSeconds = identity.expiresAtSeconds
  connection.milliFrames = rates.milliFramesBurst
  connection.bytes = rates.bytesBurst
}

/** The device of a live connection. */
export function deviceIdOf(connection: Connection): string {
  return deviceOfField(connection.field)
}

/** Which of its two programs has connected. */
export function roleOf(connection: Connection): Role {
  return roleOfField(connection.field)
}

/** Who a live connection has proved to be. */
export function identityOf(connection: Connection): Identity {
  const { generation, certificateExpiresAtSeconds: expiresAtSeconds } = connection
  return { deviceId: deviceIdOf(connection), generation, expiresAtSeconds }
}

/** Where the agent connects from; empty once the connection is over. */
export function remoteAddressOf({ socket }: Pick<Connection, 'socket'>): string {
  return socket === undefined ? '' : Buffer.from(socket.getRemoteAddressAsText()).toString()
}

const sharedTextsMax = 1_000
const sharedTexts = new Map<string, string>()

/** One copy of a text that most of a fleet says alike. */
function sharedText(text: string): string {
  const known = sharedTexts.get(text)
  if (known !== undefined) return known
  if (sharedTexts.size >= sharedTextsMax) sharedTexts.clear()
  sharedTexts.set(text, text)
  return text
}
