import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { duration, text } from '../scalars.ts'

/** How the watchdog sees its agent. `failover`: the backup runs in place of the expected version. */
export const watchedStates = ['running', 'silent', 'restarting', 'failover'] as const
/** @public for authors of agents */
export type WatchedState = (typeof watchedStates)[number]

export const WatchdogStatus = z.object({
  agent: z.enum(watchedStates),
  /** How long the agent has not answered; absent while it runs. */
  silentMs: duration.optional(),
  /** The version that runs, or should run. */
  version: text(64).min(1).optional(),
  /** How often the watchdog has restarted the agent since its own start. */
  restarts: z.int().min(0).optional(),
  error: text(2000).optional(),
})
export type WatchdogStatus = z.infer<typeof WatchdogStatus>

export const watchdogStatus = defineMessage({
  name: 'watchdogStatus',
  type: 38,
  meaning:
    'The state of the agent as the watchdog sees it: after each welcome, when it changes, and once every heartbeat interval.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: WatchdogStatus,
})
