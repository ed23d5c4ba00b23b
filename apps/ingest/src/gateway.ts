import { randomBytes } from 'node:crypto'
import { encodeDown } from '@muster/wire/down.ts'
import { emptyHeader, type Fault, isWellFormed, readHeader, WireError, writeHeader } from '@muster/wire/frame.ts'
import { frameBytesMax, nonceBytes } from '@muster/wire/limits.ts'
import { ack } from '@muster/wire/messages/ack.ts'
import { hello, type Role } from '@muster/wire/messages/hello.ts'
import { reply } from '@muster/wire/messages/reply.ts'
import { resume } from '@muster/wire/messages/resume.ts'
import { unopened } from '@muster/wire/messages/unopened.ts'
import { upFrameBytesMax } from '@muster/wire/up.ts'
import { signedOrdersProtocol, supportedProtocols } from '@muster/wire/version.ts'
import { takeFrame } from './allowance.ts'
import type { Identity } from './certificate.ts'
import { closeWith } from './closing.ts'
import { type Connection, createConnection, deviceIdOf, makeLive, roleOf, type Socket } from './connection.ts'
import type { Gateway } from './gateway-parts.ts'
import { verifyAnswer } from './handshake.ts'
import type { Limits } from './limits.ts'

const header = emptyHeader()
const ackFrame = new Uint8Array(11)

/** Challenges a new socket. */
export function open(gateway: Gateway, socket: Socket, connection: Connection): void {
  connection.socket = socket
  challenge(gateway, connection, Date.now(), true)
}

function challenge(gateway: Gateway, connection: Connection, serverTime: number, mayResume: boolean): void {
  const nonce = randomBytes(nonceBytes)
  connection.challenge = { nonce, mayResume }
  const tickets = gateway.tickets.isReady ? { tickets: true } : {}
  const body = { nonce, protocols: [...supportedProtocols], serverTime, ...tickets }
  send(gateway, connection, encodeDown({ name: 'challenge', sequence: 0, body }))
}

/** Creates the state of a socket that is about to open; it takes a waiting slot of its origin. */
export function prepare({ registry, tick }: Gateway, origin: string): Connection {
  const connection = createConnection(registry.nextNumber(), tick)
  registry.waiting.take(connection, origin)
  return connection
}

/** Handles an incoming message. The bytes belong to the socket library and are valid only until this returns. */
export function receive(
  gateway: Gateway,
  connection: Connection,
  frame: Uint8Array,
  isBinary: boolean,
  nowMs: number,
): void {
  if (connection.state === 'live') receiveFrame(gateway, connection, frame, isBinary, nowMs)
  else if (connection.state === 'challenged') receiveAnswer(gateway, connection, frame, isBinary, nowMs)
}

function receiveFrame(
  gateway: Gateway,
  connection: Connection,
  frame: Uint8Array,
  isBinary: boolean,
  nowMs: number,
): void {
  readHeader(frame, header)
  const fault = isBinary ? (header.fault ?? faultOf(frame, roleOf(connection))) : 'malformed'
  if (fault !== null) {
    closeWith(gateway, connection, fault, { sequence: header.fault === null ? header.sequence : 0 })
    return
  }
  // An expected reply does not count against the allowance. An unexpected one does, and is dropped.
  const isReply = header.type === reply.type
  const isAwaited = isReply && gateway.replies.pass(connection.field, header.sequence, frame)
  if (!isAwaited && !takeFrame(connection, gateway.rates, nowMs, frame.length)) {
    penalize(gateway, connection)
    return
  }
  const { counters } = gateway
  counters.frames[header.type] = (counters.frames[header.type] ?? 0) + 1
  counters.frameBytes += frame.length
  connection.lastFrameTick = gateway.tick
  if (isReply) return
  if (header.type === unopened.type) noteUnopened(gateway, connection, frame)
  // A rejected frame is not acknowledged, so the agent keeps it.
  gateway.batches.addFrame(connection, header.type, header.sequence, nowMs, frame)
}

/** A command that the agent could not open has to reach it again. Workers judge the frame. */
function noteUnopened({ delivered }: Gateway, connection: Connection, frame: Uint8Array): void {
  try {
    delivered.remove(unopened.read(frame, header).body.commandId, connection.number)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
}

function faultOf(frame: Uint8Array, role: Role): Fault | null {
  const isAnswer = header.type === hello.type || header.type === resume.type
  const bytesMax = isAnswer ? 0 : (upFrameBytesMax[role][header.type] ?? 0)
  if (bytesMax === 0) return 'unknownType'
  if (frame.length > bytesMax) return 'tooLarge'
  return header.sequence > 0 && header.bodyOffset < frame.length && isWellFormed(frame, header) ? null : 'malformed'
}

function receiveAnswer(
  gateway: Gateway,
  connection: Connection,
  frame: Uint8Array,
  isBinary: boolean,
  nowMs: number,
): void {
  if (!isBinary || connection.challenge === undefined) {
    closeWith(gateway, connection, 'malformed')
    return
  }
  const verdict = verifyAnswer(frame, connection.challenge, nowMs, gateway)
  if (verdict.kind === 'unresumed') {
    // Nothing is lost: with a new nonce the agent can still prove itself by its certificate.
    gateway.counters.ticketsRefused++
    challenge(gateway, connection, nowMs, false)
    return
  }
  if (verdict.kind === 'refused') {
    closeWith(gateway, connection, verdict.close, verdict)
    return
  }
  const { identity, introduction, ticketAgeMs, keepsTickets } = verdict
  if (gateway.penalties.isServing(identity.deviceId, performance.now())) {
    closeWith(gateway, connection, 'tooManyFrames', identity)
    return
  }
  makeLive(connection, identity, introduction, gateway.rates)
  connection.lastFrameTick = gateway.tick
  if (ticketAgeMs !== undefined) gateway.counters.resumptions++
  welcome(gateway, connection, identity, nowMs, introduction.sealingKey)
  sendOrderKeys(gateway, connection, introduction.orderKeys)
  if (!keepsTickets) return
  // A ticket that stays valid long enough is not replaced now: during a reconnect wave other work comes first.
  if (ticketAgeMs !== undefined && ticketAgeMs < youngMs(gateway.limits))
    scheduleTicket(gateway, connection, ticketAgeMs)
  else giveTicket(gateway, connection, identity, nowMs)
}

function welcome(
  gateway: Gateway,
  connection: Connection,
  identity: Identity,
  nowMs: number,
  sealingKey: string | undefined,
): void {
  gateway.counters.handshakes++
  const origin = gateway.registry.waiting.originOf(connection)
  const replaced = gateway.registry.enter(connection)
  if (replaced !== undefined) closeWith(gateway, replaced, 'replaced')
  gateway.batches.connected(connection, nowMs, origin, sealingKey)
  gateway.presence.arrive(connection, nowMs)
  const { deviceId } = identity
  const body = {
    protocol: connection.protocol,
    deviceId,
    heartbeatMs: gateway.heartbeatMs,
    serverTime: nowMs,
    frameBytesMax,
  }
  send(gateway, connection, encodeDown({ name: 'welcome', sequence: 0, body }))
}

/** Sends an agent that trusts older order keys the statements since. An agent that trusts none learns them elsewhere. */
function sendOrderKeys(gateway: Gateway, connection: Connection, serial: number | undefined): void {
  const frame = serial === undefined ? undefined : gateway.orderKeys.frameAfter(serial)
  if (frame !== undefined) send(gateway, connection, frame)
}

/** Sends new order keys to all connected agents when the key file has changed. */
export function broadcastOrderKeys(gateway: Gateway): void {
  const frame = gateway.orderKeys.reload()
  if (frame === undefined) return
  for (const connection of gateway.registry.connections())
    if (connection.protocol >= signedOrdersProtocol) send(gateway, connection, frame)
}

/** Gives an agent that keeps tickets a new one, and schedules the next. */
export function giveTicket(gateway: Gateway, connection: Connection, identity: Identity, nowMs: number): void {
  const body = gateway.tickets.issue(identity, roleOf(connection), nowMs)
  if (body === undefined) return
  scheduleTicket(gateway, connection, 0)
  send(gateway, connection, encodeDown({ name: 'ticket', sequence: 0, body }))
}

/** Up to this age a ticket counts as new. */
const youngMs = ({ ticketLifeMs }: Limits): number => ticketLifeMs / 4

/** Schedules the next ticket. Agents that connected together do not renew together. */
function scheduleTicket({ limits, tick }: Gateway, connection: Connection, ageMs: number): void {
  const afterMs = youngMs(limits) * (1 + Math.random()) - ageMs
  connection.ticketDueTick = tick + Math.ceil(afterMs / limits.sweepMs)
}

/** Sends a frame; false when the connection is over, or is closed now because its reader is too slow. */
export function send(gateway: Gateway, connection: Connection, frame: Uint8Array): boolean {
  const { socket } = connection
  if (socket === undefined || connection.state === 'closed') return false
  const { backlog } = gateway
  if (backlog.holdBack(connection, frame) || socket.send(frame, true) === 1) return true
  // The socket library may have closed the connection over this frame and reported it.
  if (connection.socket === undefined) return false
  const slowest = backlog.note(connection, socket.getBufferedAmount())
  if (slowest !== undefined) closeWith(gateway, slowest, 'slowReader')
  return slowest !== connection
}

/** Called when a slow socket has drained some of its backlog. */
export function backlogShrank(gateway: Gateway, connection: Connection): void {
  const { socket } = connection
  if (socket === undefined) return
  const bytes = socket.getBufferedAmount()
  if (bytes > 0) {
    gateway.backlog.note(connection, bytes)
    return
  }
  const offer = gateway.backlog.settle(connection)
  if (offer !== undefined) send(gateway, connection, offer)
}

/** Acknowledges a durable frame. */
export function acknowledge(gateway: Gateway, connection: Connection, sequence: number): void {
  if (connection.state !== 'live') return
  gateway.counters.acks++
  send(gateway, connection, ackFrame.subarray(0, writeHeader(ackFrame, ack.type, sequence, 2)))
}

function penalize(gateway: Gateway, connection: Connection): void {
  gateway.penalties.add(deviceIdOf(connection), performance.now())
  closeWith(gateway, connection, 'tooManyFrames')
}
