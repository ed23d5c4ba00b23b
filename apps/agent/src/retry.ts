import { closeCodeOf } from '@muster/wire/close-codes.ts'
import { fullJitter, type Random } from './backoff.ts'
import { connectionStableMs, refusedCertificateDelayMs, retryDelayMinMs, retryHintMaxMs } from './limits.ts'

/** How one socket's life ended. */
export interface Ending {
  /** Whether the server had welcomed the agent on it, and for how long it stood after that. */
  welcomed: boolean
  lastedMs: number
  /** Close code of the socket; 1006 when there was none. */
  code: number
  /** In words, for the log. */
  reason: string
  /** When the server said in its own message how long to stay away. */
  hintMs: number | undefined
  /** When it refused the connection before it was a socket: `Retry-After`. */
  retryAfterMs: number | undefined
}

export type Next = { kind: 'wait'; delayMs: number } | { kind: 'stop' }

/**
 * How long the agent has been without a connection by this ending, `sinceMs` after the one before. A connection that held
 * for a while makes up for what was before it; shorter ones do not count as being connected for good.
 */
export function outageAfter(ending: Ending, outageMs: number, sinceMs: number): number {
  return ending.lastedMs >= connectionStableMs ? 0 : outageMs + Math.max(0, sinceMs - ending.lastedMs)
}

/**
 * When to connect again, by how long the outage has lasted. Twice that is the window, so that nobody stays away much longer
 * than the server did; counted failures would send whoever drew short waits at first away for longest.
 */
export function nextAfter(ending: Ending, outageMs: number, random: Random = Math.random): Next {
  const code = closeCodeOf(ending.code)
  if (code?.mayReturn === false) return { kind: 'stop' }
  // Only another certificate would help; looking now and then heals a mistake that was made at the server.
  if (code?.mayReturn === 'renewed') {
    const leastMs = Math.max(code.minimumDelayMs, refusedCertificateDelayMs)
    return { kind: 'wait', delayMs: leastMs + Math.round(random() * leastMs) }
  }
  const leastMs = Math.max(code?.minimumDelayMs ?? 0, 0)
  // The server draws its hint for each agent from a window that fits its fleet: nothing is added to it.
  if (ending.hintMs !== undefined)
    return { kind: 'wait', delayMs: Math.max(leastMs, Math.min(ending.hintMs, retryHintMaxMs)) }
  if (ending.retryAfterMs === undefined) return { kind: 'wait', delayMs: leastMs + fullJitter(2 * outageMs, random) }
  const askedMs = Math.max(leastMs, retryDelayMinMs, Math.min(ending.retryAfterMs, retryHintMaxMs))
  return { kind: 'wait', delayMs: askedMs + Math.round(random() * askedMs) }
}
