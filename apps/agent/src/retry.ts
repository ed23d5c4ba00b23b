import { closeCodeOf } from '@muster/wire/close-codes.ts'
import { fullJitter, type Random } from './backoff.ts'
import { connectionStableMs, refusedCertificateDelayMs, retryDelayMinMs, retryHintMaxMs } from './limits.ts'

/** How one socket ended. */
export interface Ending {
  /** Whether the server had welcomed the agent on it, and how long it lasted after that. */
  welcomed: boolean
  lastedMs: number
  /** Close code of the socket; 1006 when there was none. */
  code: number
  /** The reason, for the log. */
  reason: string
  /** The delay in the server's retry message. */
  hintMs: number | undefined
  /** The `Retry-After` of a refused upgrade. */
  retryAfterMs: number | undefined
}

export type Next = { kind: 'wait'; delayMs: number } | { kind: 'stop' }

/**
 * How long the agent has been without a connection at this ending, `sinceMs` after the one before. A stable connection
 * resets the outage; a short one does not count.
 */
export function outageAfter(ending: Ending, outageMs: number, sinceMs: number): number {
  return ending.lastedMs >= connectionStableMs ? 0 : outageMs + Math.max(0, sinceMs - ending.lastedMs)
}

/**
 * When to reconnect, by the duration of the outage. The window is twice that, so that no agent waits much longer than the
 * outage lasted. Counted failures would make agents wait longest that drew short waits at first.
 */
export function nextAfter(ending: Ending, outageMs: number, random: Random = Math.random): Next {
  const code = closeCodeOf(ending.code)
  if (code?.mayReturn === false) return { kind: 'stop' }
  // Only another certificate would help; occasional attempts recover from a mistake of the server.
  if (code?.mayReturn === 'renewed') {
    const leastMs = Math.max(code.minimumDelayMs, refusedCertificateDelayMs)
    return { kind: 'wait', delayMs: leastMs + Math.round(random() * leastMs) }
  }
  const leastMs = Math.max(code?.minimumDelayMs ?? 0, 0)
  // The server already draws a delay per agent from a window for its fleet: nothing is added to it.
  if (ending.hintMs !== undefined)
    return { kind: 'wait', delayMs: Math.max(leastMs, Math.min(ending.hintMs, retryHintMaxMs)) }
  if (ending.retryAfterMs === undefined) return { kind: 'wait', delayMs: leastMs + fullJitter(2 * outageMs, random) }
  const askedMs = Math.max(leastMs, retryDelayMinMs, Math.min(ending.retryAfterMs, retryHintMaxMs))
  return { kind: 'wait', delayMs: askedMs + Math.round(random() * askedMs) }
}
