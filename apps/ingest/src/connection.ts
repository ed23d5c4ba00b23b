import { shardOf } from '@muster/backplane/device-id.ts'
import { presenceField } from '@muster/backplane/presence.ts'
import type { CloseName } from '@muster/wire/close-codes.ts'
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
  /** In ticks of the sweep, which no change of the clock can move. */
  openedTick: number
  lastFrameTick: number
  /** Proved by the agent's answer, then forgotten, so that no second answer can use it. */
  nonce: Uint8Array | undefined
  /** Whether a ticket may be tried: once on each socket. */
  mayResume: boolean
  /** The sweep at which the agent is given another ticket; 0 for one that keeps none. */
  ticketDueTick: number
  /** Device id, with `/watchdog` for a watchdog: the name under which it is known to everybody. */
  field: string
  shard: number
  bootId: number
  role: Role
  generation: number
  certificateExpiresAtSeconds: number
  agentVersion: string
  /** Why we closed it, once we have. */
  closedFor: CloseName | undefined
}

/** A socket that has just been opened. */
export function createConnection(number: number, tick: number): Connection {
  return {
    state: 'challenged',
    socket: undefined,
    number,
    openedTick: tick,
    lastFrameTick: tick,
    nonce: undefined,
    mayResume: true,
    ticketDueTick: 0,
    field: '',
    shard: 0,
    bootId: 0,
    role: 'agent',
    generation: 0,
    certificateExpiresAtSeconds: 0,
    agentVersion: '',
    closedFor: undefined,
    milliFrames: 0,
    bytes: 0,
    refilledAt: 0,
  }
}

/** What a hello adds to what the certificate says. */
export interface Introduction {
  role: Role
  bootId: number
  agentVersion: string
}

/** Turns a challenged connection into a device's live one. */
export function makeLive(
  connection: Connection,
  identity: Identity,
  hello: Introduction,
  shards: number,
  rates: Rates,
): void {
  connection.state = 'live'
  connection.nonce = undefined
  connection.field = presenceField(identity.deviceId, hello.role)
  connection.shard = shardOf(identity.deviceId, shards)
  connection.role = hello.role
  connection.bootId = hello.bootId
  connection.agentVersion = sharedText(hello.agentVersion)
  connection.generation = identity.generation
  connection.certificateExpiresAtSeconds = identity.expiresAtSeconds
  connection.milliFrames = rates.milliFramesBurst
  connection.bytes = rates.bytesBurst
}

/** The device of a live connection. */
export function deviceIdOf(connection: Connection): string {
  return connection.field.slice(0, 36)
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
