// Work that workers repeat, declared by the area that it belongs to.
import type { WorkerParts } from './worker-parts.ts'

/** One run of a job. `end` releases what its runs share, when the worker stops. */
export interface Work {
  (): Promise<unknown>
  readonly end?: () => void
}

/** Must be safe to run twice, because a worker may die while it runs. */
export interface Job {
  /** Names its lock or its queue, also in logs and metrics. */
  readonly name: string
  /** `everyMs`: this long after the last run ended. `cron`: at these times, in UTC, in one worker. */
  readonly when: { readonly everyMs: number } | { readonly cron: string }
  /** Whether every worker runs it, or one at a time. */
  readonly by: 'every worker' | 'one worker'
  /** Makes the work of one worker; null if its settings require none. */
  begin(parts: WorkerParts): Work | null
}

/** A job that one worker at a time repeats. */
export const every = (everyMs: number, name: string, run: (parts: WorkerParts) => Promise<unknown>): Job => ({
  name,
  when: { everyMs },
  by: 'one worker',
  begin: (parts) => () => run(parts),
})

/** A job that every worker repeats. */
export const everywhere = (everyMs: number, name: string, run: (parts: WorkerParts) => Promise<unknown>): Job => ({
  ...every(everyMs, name, run),
  by: 'every worker',
})

/** A job that one worker runs at the times of a cron expression, in UTC. */
export const at = (cron: string, name: string, run: (parts: WorkerParts) => Promise<unknown>): Job => ({
  name,
  when: { cron },
  by: 'one worker',
  begin: (parts) => () => run(parts),
})
