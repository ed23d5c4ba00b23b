import { closeCodes } from '@muster/wire/close-codes.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { closeWith } from './closing.ts'
import { send } from './gateway.ts'
import type { Gateway } from './gateway-parts.ts'
import type { Limits } from './limits.ts'

/** The window in which agents are asked to reconnect. It grows with their number. */
export function retryWindowMs(connections: number, limits: Limits): number {
  return Math.min(limits.retryWindowMaxMs, Math.max(limits.retryWindowMinMs, connections))
}

/** Closes every connection with a retry time, in slices so that other work gets its turn. */
export async function closeAll(gateway: Gateway): Promise<void> {
  const { registry, limits } = gateway
  const windowMs = retryWindowMs(registry.size, limits)
  gateway.returnWindowMs = windowMs
  const { name: reason } = closeCodes.goingAway
  let turn = 0
  for (const connection of [...registry.connections(), ...registry.waiting.connections()]) {
    const afterMs = Math.floor(Math.random() * windowMs)
    send(gateway, connection, encodeDown({ name: 'retry', sequence: 0, body: { afterMs, reason } }))
    closeWith(gateway, connection, 'goingAway')
    if (++turn % limits.drainSlice === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}
