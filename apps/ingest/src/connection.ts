import { deviceOfField, presenceField, roleOfField } from '@muster/backplane/presence.ts'
import type { Role } from '@muster/wire/messages/hello.ts'
import type { Allowance, Rates } from './allowance.ts'
import type { Identity } from './certificate.ts'

/** What a connection needs of its socket. Only server.ts uses the socket library directly. */
export interface Socket {
  /** 0: buffered, 1: sent, 2: dropped. */
  send(message: Uint8Array, binary: boolean): number
  end(code: number, reason: string): void
  close(): void
  getBufferedAmount(): number
  getRemoteAddressAsText(): ArrayBuffer
}

/** What the agent has to answer before the socket belongs to a device. */
export interface Challenge {
  nonce: Uint8Array
  /** Whether a ticket is accepted: once per socket. */
  mayResume: boolean
}

/**
 * One agent socket: `challenged` until its hello is accepted, then `live`, then `closed`. Flat and small, because there
 * are tens of thousands: values that the socket or the ID provides are not stored. Before `live`, fields of the device
 * have neutral values.
 */
export interface Connection extends Allowance {
  state: 'challenged' | 'live' | 'closed'
  socket: Socket | undefined
  /** Number of this connection within the process; tells a device's old connection from a newer one. */
  number: number
  /** Tick of the last frame, or of the opening. Ticks of the sweep do not jump when the clock is set. */
  lastFrameTick: number
  /** Consumed by the agent's answer, so that no second answer can use it. */
  challenge: Challenge | undefined
  /** The tick at which the agent gets another ticket; 0 for an agent that keeps none. */
  ticketDueTick: number
  /** Device ID, with `/watchdog` for a watchdog: the name of this holder in presence. */
  field: string
  bootId: number
  generation: number
  certificateExpiresAtSeconds: number
  agentVersion: string
  /** The protocol version that the agent chose; 0 before. */
  protocol: number
  /** What the agent can do, as it said; empty when it said nothing. */
  capabilities: string
  /** Of the newest assignment that the agent followed at its hello. */
  assignmentRevision: number
  /** The time between heartbeats that the agent was told after the welcome; 0 for that of the welcome. */
  heartbeatMs: number
}

/** The revision of an agent that takes no assignments. */
export const noAssignments = -1

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
    capabilities: '',
    assignmentRevision: noAssignments,
    heartbeatMs: 0,
    milliFrames: 0,
    bytes: 0,
    refilledAt: 0,
  }
}

/** What a hello adds to the certificate. */
export interface Introduction {
  protocol: number
  role: Role
  bootId: number
  agentVersion: string
  /** Serial number of the statement of order keys that the agent trusts. */
  orderKeys?: number | undefined
  capabilities?: string | undefined
  assignmentRevision?: number | undefined
  sealingKey?: string | undefined
}

/** Turns a challenged connection into a device's live one. */
export function makeLive(connection: Connection, identity: Identity, hello: Introduction, rates: Rates): void {
  connection.state = 'live'
  connection.challenge = undefined
  connection.field = presenceField(identity.deviceId, hello.role)
  connection.bootId = hello.bootId
  connection.agentVersion = sharedText(hello.agentVersion)
  connection.protocol = hello.protocol
  connection.capabilities = sharedText(hello.capabilities ?? '')
  connection.assignmentRevision = hello.assignmentRevision ?? noAssignments
  connection.generation = identity.generation
  connection.certificateExpiresAtSeconds = identity.expiresAtSeconds
  connection.milliFrames = rates.milliFramesBurst
  connection.bytes = rates.bytesBurst
}

/** The device of a live connection. */
export function deviceIdOf(connection: Connection): string {
  return deviceOfField(connection.field)
}

/** Which of the two programs of a device has connected. */
export function roleOf(connection: Connection): Role {
  return roleOfField(connection.field)
}

/** The proved identity of a live connection. */
export function identityOf(connection: Connection): Identity {
  const { generation, certificateExpiresAtSeconds: expiresAtSeconds } = connection
  return { deviceId: deviceIdOf(connection), generation, expiresAtSeconds }
}

/** The remote address of the agent; empty after the connection ended. */
export function remoteAddressOf({ socket }: Pick<Connection, 'socket'>): string {
  return socket === undefined ? '' : Buffer.from(socket.getRemoteAddressAsText()).toString()
}

const sharedTextsMax = 1_000
const sharedTexts = new Map<string, string>()

/** Interns a text that much of the fleet sends, such as the agent version. */
function sharedText(text: string): string {
  const known = sharedTexts.get(text)
  if (known !== undefined) return known
  if (sharedTexts.size >= sharedTextsMax) sharedTexts.clear()
  sharedTexts.set(text, text)
  return text
}
