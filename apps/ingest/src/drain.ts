import { closeCodes } from '@muster/wire/close-codes.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { shut } from './closing.ts'
import { type Gateway, send } from './gateway.ts'
import type { Limits } from './limits.ts'

/** Over how long agents are asked to come back: it grows with how many there are. */
export function retryWindowMs(connections: number, limits: Limits): number {
  return Math.min(limits.retryWindowMaxMs, Math.max(limits.retryWindowMinMs, connections))
}

/** Sends every agent away with a time to come back, in slices so that what else is to be done gets its turn. */
export async function sendAway(gateway: Gateway): Promise<void> {
  const { registry, limits } = gateway
  const windowMs = retryWindowMs(registry.size, limits)
  gateway.returnWindowMs = windowMs
  const { name: reason } = closeCodes.goingAway
  let turn = 0
  for (const connection of [...registry.connections(), ...registry.waiting.connections()]) {
    const afterMs = Math.floor(Math.random() * windowMs)
    send(gateway, connection, encodeDown({ name: 'retry', sequence: 0, body: { afterMs, reason } }))
    shut(gateway, connection, 'goingAway')
    if (++turn % limits.drainSlice === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}
