import { type CloseName, closeCodeOf, closeCodes } from '@muster/wire/close-codes.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { type Connection, deviceIdOf, remoteAddressOf, type Socket } from './connection.ts'
import { countBy } from './counters.ts'
import type { Gateway } from './gateway.ts'

/** What is known beside the reason itself. */
export interface CloseContext {
  detail?: string
  /** For a connection that is not a device's yet, but said whose it would be. */
  deviceId?: string
  /** The frame that was wrong. */
  sequence?: number
}

// Ordinary life: nobody has to read about it.
const planned: ReadonlySet<CloseName> = new Set(['goingAway', 'replaced', 'idle'])
// Where the agent, or its author, can do something about it.
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

/** Closes a connection for a reason of ours, with words where they help and a log line where it is news. */
export function shut(gateway: Gateway, connection: Connection, why: CloseName, context: CloseContext = {}): void {
  const { socket } = connection
  if (socket === undefined || connection.state === 'closed') return
  const { code, name, meaning } = closeCodes[why]
  const { detail = meaning, sequence = 0 } = context
  const deviceId = context.deviceId ?? (connection.field === '' ? undefined : deviceIdOf(connection))
  const remoteAddress = remoteAddressOf(connection)
  if (!planned.has(why) && gateway.quiet.isNews(deviceId ?? remoteAddress, performance.now()))
    gateway.log.warn({ deviceId, remoteAddress, close: why, detail }, 'closed a connection')
  const body = { code: name, message: detail.slice(0, 500) }
  if (explained.has(why)) socket.send(encodeDown({ name: 'error', sequence, body }), true)
  end(connection, socket, code, name)
}

/** Closes a live connection because another process asked for it. */
export function closeOnOrder(connection: Connection, code: number, reason: string): void {
  if (connection.socket !== undefined) end(connection, connection.socket, code, reason)
}

function end(connection: Connection, socket: Socket, code: number, reason: string): void {
  socket.end(code, reason.slice(0, 120))
  // The socket library has told us so by now; this is for one that has not.
  connection.socket = undefined
}

/** The socket is gone, whoever closed it. */
export function gone(gateway: Gateway, connection: Connection, code: number, nowMs: number): void {
  const wasLive = connection.state === 'live'
  connection.state = 'closed'
  connection.socket = undefined
  connection.challenge = undefined
  gateway.backlog.settle(connection)
  const { registry, counters, batches, presence } = gateway
  const wasHolder = registry.leave(connection)
  countBy(counters.closes, knownCode(code))
  // One that was replaced in this process left its place to the newer: the device is still connected.
  if (!wasLive || !wasHolder) return
  const isSentAway = code === closeCodes.goingAway.code
  batches.disconnected(connection, code, nowMs, isSentAway ? gateway.returnWindowMs : undefined)
  presence.drop(connection)
}

/** Codes that agents invent must not grow the metrics. */
function knownCode(code: number): number {
  return closeCodeOf(code) !== undefined || (code >= 1000 && code <= 1015) ? code : 0
}
