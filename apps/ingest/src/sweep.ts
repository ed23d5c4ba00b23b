import { presenceField } from '@muster/backplane/presence.ts'
import type { CloseName } from '@muster/wire/close-codes.ts'
import { closeWith } from './closing.ts'
import { type Connection, deviceIdOf, identityOf } from './connection.ts'
import { giveTicket } from './gateway.ts'
import type { Gateway } from './gateway-parts.ts'

/** Closes connections that were silent or open too long, and renews tickets: one pass per second instead of a timer per socket. */
export function sweep(gateway: Gateway, nowMs: number): void {
  gateway.tick++
  const overdue: [Connection, CloseName][] = []
  const due: Connection[] = []
  gateway.registry.visit((connection) => {
    const why = overdueFor(connection, gateway, nowMs)
    if (why !== undefined) overdue.push([connection, why])
    else if (connection.ticketDueTick > 0 && connection.ticketDueTick <= gateway.tick) due.push(connection)
  })
  for (const [connection, why] of overdue) closeWith(gateway, connection, why)
  for (const connection of due) giveTicket(gateway, connection, identityOf(connection), nowMs)
}

/** Why a connection should be closed now; null when it should stay. */
export function overdueFor(
  connection: Connection,
  { tick, limits, heartbeatMs, registry }: Pick<Gateway, 'tick' | 'limits' | 'heartbeatMs' | 'registry'>,
  nowMs: number,
): CloseName | undefined {
  if (connection.state === 'challenged')
    return (tick - connection.lastFrameTick) * limits.sweepMs > registry.waiting.helloMs(connection)
      ? 'helloTimeout'
      : undefined
  const everyMs = connection.heartbeatMs || heartbeatMs
  if ((tick - connection.lastFrameTick) * limits.sweepMs > 2 * everyMs + limits.idleGraceMs) return 'idle'
  return connection.certificateExpiresAtSeconds * 1000 + limits.clockLeewayMs < nowMs ? 'certificateExpired' : undefined
}

/** Follows another interval. Within it the agent sends its next heartbeat, so the silence before does not count. */
export function followInterval({ tick }: Pick<Gateway, 'tick'>, connection: Connection, heartbeatMs: number): void {
  connection.heartbeatMs = heartbeatMs
  connection.lastFrameTick = tick
}

/** Closes every connection whose certificate is revoked. */
export function enforceGenerations(gateway: Gateway): void {
  for (const connection of [...gateway.registry.connections()]) enforceOn(gateway, connection)
}

/** The same for one device. */
export function enforceGeneration(gateway: Gateway, deviceId: string): void {
  for (const role of ['agent', 'watchdog'] as const) {
    const connection = gateway.registry.find(presenceField(deviceId, role))
    if (connection !== undefined) enforceOn(gateway, connection)
  }
}

function enforceOn(gateway: Gateway, connection: Connection): void {
  const refusal = gateway.generations.refusalOf(deviceIdOf(connection), connection.generation)
  if (refusal !== undefined) closeWith(gateway, connection, refusal)
}
