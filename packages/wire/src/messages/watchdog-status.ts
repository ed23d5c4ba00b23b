import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { duration, text } from '../scalars.ts'

/** What a watchdog sees of its agent. `failover`: the backup runs in place of the version that should. */
export const watchedStates = ['running', 'silent', 'restarting', 'failover'] as const
/** @public for authors of agents */
export type WatchedState = (typeof watchedStates)[number]

export const WatchdogStatus = z.object({
  agent: z.enum(watchedStates),
  /** For how long the agent has not answered, unless it runs. */
  silentMs: duration.optional(),
  /** The version that runs, or should. */
  version: text(64).min(1).optional(),
  /** How often the agent was started again since the watchdog started. */
  restarts: z.int().min(0).optional(),
  error: text(2000).optional(),
})
export type WatchdogStatus = z.infer<typeof WatchdogStatus>

export const watchdogStatus = defineMessage({
  name: 'watchdogStatus',
  type: 38,
  meaning:
    'What the watchdog sees of its agent: after each welcome, when it changes, and once every heartbeat interval.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: WatchdogStatus,
})
