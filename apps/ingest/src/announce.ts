import type { Gateway } from './gateway.ts'

/**
 * Says again who is connected here, after others may have taken this node for dead (its lease ran out, or Redis lost
 * what it knew) or an event could not be kept.
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
