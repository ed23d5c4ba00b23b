import type { Gateway } from './gateway-parts.ts'

/**
 * Publishes all connections of this node again: after its lease expired, after Redis lost its data, or after an event
 * was dropped.
 */
export async function announce(gateway: Gateway): Promise<void> {
  const { registry, batches, presence, limits, counters } = gateway
  counters.announcements++
  let turn = 0
  for (const connection of [...registry.connections()]) {
    if (connection.state !== 'live') continue
    presence.take(connection)
    batches.connected(connection, Date.now())
    if (++turn % limits.announceSlice === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}
