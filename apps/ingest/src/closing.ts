import { type CloseName, closeCodeOf, closeCodes } from '@muster/wire/close-codes.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { type Connection, deviceIdOf, remoteAddressOf, type Socket } from './connection.ts'
import { countBy } from './counters.ts'
import type { Gateway } from './gateway-parts.ts'

/** What is known beside the reason itself. */
export interface CloseContext {
  detail?: string
  /** The device that a connection claims to be before it has proved it. */
  deviceId?: string
  /** The invalid frame. */
  sequence?: number
}

// Expected in normal operation, so not logged.
const planned: ReadonlySet<CloseName> = new Set(['goingAway', 'replaced', 'idle'])
// Closes that the agent or its author can act on, so the reason is sent.
const explained: ReadonlySet<CloseName> = new Set([
  'malformed',
  'unknownType',
  'tooLarge',
  'unsupportedProtocol',
  'badCertificate',
  'badSignature',
  'certificateExpired',
  'quarantined',
  'tooManyFrames',
])

/** Closes a connection for one of our reasons, with an error message where it helps and a log line where it is new. */
export function closeWith(gateway: Gateway, connection: Connection, why: CloseName, context: CloseContext = {}): void {
  const { socket } = connection
  if (socket === undefined || connection.state === 'closed') return
  const { code, name, meaning } = closeCodes[why]
  const { detail = meaning, sequence = 0 } = context
  const deviceId = context.deviceId ?? (connection.field === '' ? undefined : deviceIdOf(connection))
  const remoteAddress = remoteAddressOf(connection)
  if (!planned.has(why) && gateway.logThrottle.shouldLog(deviceId ?? remoteAddress, performance.now()))
    gateway.log.warn({ deviceId, remoteAddress, close: why, detail }, 'closed a connection')
  const body = { code: name, message: detail.slice(0, 500) }
  if (explained.has(why)) socket.send(encodeDown({ name: 'error', sequence, body }), true)
  end(connection, socket, code, name)
}

/** Closes a live connection at the request of another process. */
export function closeOnRequest(connection: Connection, code: number, reason: string): void {
  if (connection.socket !== undefined) end(connection, connection.socket, code, reason)
}

function end(connection: Connection, socket: Socket, code: number, reason: string): void {
  socket.end(code, reason.slice(0, 120))
  // Usually the socket library has reported the close by now; this covers the case that it has not.
  connection.socket = undefined
}

/** Handles the end of a socket, no matter which side closed it. */
export function onClosed(gateway: Gateway, connection: Connection, code: number, nowMs: number): void {
  const wasLive = connection.state === 'live'
  connection.state = 'closed'
  connection.socket = undefined
  connection.challenge = undefined
  gateway.backlog.settle(connection)
  const { registry, counters, batches, presence } = gateway
  const wasHolder = registry.leave(connection)
  countBy(counters.closes, knownCode(code))
  // A connection replaced within this process: the newer one owns the entry, and the device is still connected.
  if (!wasLive || !wasHolder) return
  const isSentAway = code === closeCodes.goingAway.code
  const report = () => batches.disconnected(connection, code, nowMs, isSentAway ? gateway.returnWindowMs : undefined)
  report()
  presence.drop(connection, report)
}

/** Codes invented by agents must not add metric labels. */
function knownCode(code: number): number {
  return closeCodeOf(code) !== undefined || (code >= 1000 && code <= 1015) ? code : 0
}
