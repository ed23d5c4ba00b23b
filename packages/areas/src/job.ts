// What workers do in the background, declared by the area that it belongs to.
import type { Redis } from '@muster/backplane/redis.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import type { ReleaseKey } from '@muster/releases/keys.ts'
import type pg from 'pg'
import type { ReleaseSource } from './services.ts'

/** What a job gets of the worker that does it. */
export interface JobParts {
  /** Beyond tenants. */
  readonly pool: pg.Pool
  readonly redis: Redis
  readonly keyring: Keyring
  readonly log: Log
  readonly settings: JobSettings
}

export interface JobSettings {
  /** Where people and agents reach this service. */
  readonly publicUrl: string
  /** For how many days metrics are kept, by how fine they are. */
  readonly metricDays: { readonly raw: number; readonly fiveMinutes: number; readonly hours: number }
  /** Where signed releases of the agent lie; null where there are none. */
  readonly releases: {
    readonly store: ObjectStore
    readonly source: ReleaseSource
    /** Renews the timestamp of the releases. */
    readonly onlineKey: ReleaseKey | null
  } | null
  /** Where stored files lie; null where there are none. */
  readonly files: ObjectStore | null
}

/** A piece of background work. It has to be harmless when done twice, because a worker may die while it does it. */
export interface Job {
  /** Of its lock or its queue, and in logs and figures. */
  readonly name: string
  /** `everyMs`: again so long after it last ended. `cron`: at these times, in UTC, by one worker. */
  readonly when: { readonly everyMs: number } | { readonly cron: string }
  /** Whether every worker does it, or one at a time. */
  readonly by: 'every worker' | 'one worker'
  /** Makes the work of one worker; null where its settings leave nothing to do. */
  begin(parts: JobParts): (() => Promise<unknown>) | null
}

/** A job that one worker at a time does, again and again. */
export const every = (everyMs: number, name: string, run: (parts: JobParts) => Promise<unknown>): Job => ({
  name,
  when: { everyMs },
  by: 'one worker',
  begin: (parts) => () => run(parts),
})

/** A job that one worker does at the times of a cron line, in UTC. */
export const at = (cron: string, name: string, run: (parts: JobParts) => Promise<unknown>): Job => ({
  name,
  when: { cron },
  by: 'one worker',
  begin: (parts) => () => run(parts),
})
