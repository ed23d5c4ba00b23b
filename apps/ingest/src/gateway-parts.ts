import type { Log } from '@muster/kit/log.ts'
import type { Rates } from './allowance.ts'
import type { Backlog } from './backlog.ts'
import type { Batches } from './batches.ts'
import type { Counters } from './counters.ts'
import type { Verifier } from './handshake.ts'
import type { Limits } from './limits.ts'
import type { LogThrottle } from './log-throttle.ts'
import type { OrderKeys } from './order-keys.ts'
import type { Penalties } from './penalties.ts'
import type { Presence } from './presence.ts'
import type { RecentDeliveries } from './recent-deliveries.ts'
import type { Registry } from './registry.ts'
import type { Replies } from './replies.ts'
import type { Tickets } from './tickets.ts'

/** Everything that handling a socket needs. One per process, passed to plain functions. */
export interface Gateway extends Verifier {
  limits: Limits
  tickets: Tickets
  log: Log
  logThrottle: LogThrottle
  registry: Registry
  batches: Batches
  backlog: Backlog
  presence: Presence
  replies: Replies
  delivered: RecentDeliveries
  counters: Counters
  orderKeys: OrderKeys
  penalties: Penalties
  rates: Rates
  heartbeatMs: number
  /** During a drain: how long the last agent may take to reconnect. */
  returnWindowMs: number
  /** Number of sweeps so far: the clock of all timeouts. */
  tick: number
}
