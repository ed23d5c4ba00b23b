// What a worker gives to the background work of the areas.
import type { Redis } from '@muster/backplane/redis.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import type { ReleaseKey } from '@muster/releases/keys.ts'
import type pg from 'pg'
import type { PartnerEvent } from '../platform/live-events/publish.ts'
import type { ReleaseSource } from '../services.ts'
import type { Counter } from './counter.ts'
import type { Outcome } from './outcome.ts'

export interface WorkerParts {
  /** Of the system login, which row-level security does not limit to a tenant. */
  readonly pool: pg.Pool
  readonly redis: Redis
  readonly keyring: Keyring
  readonly log: Log
  readonly settings: BackgroundSettings
  /** Of all areas. */
  readonly outcomes: readonly Outcome[]
  /** Publishes events and counts them. */
  publish(events: readonly PartnerEvent[]): Promise<void>
  count<Label extends string>(counter: Counter<Label>, labels: Readonly<Record<Label, string>>, by?: number): void
}

export interface BackgroundSettings {
  /** The address at which people and agents reach this service. */
  readonly publicUrl: string
  /** How many days metrics are kept, by resolution. */
  readonly metricDays: { readonly raw: number; readonly fiveMinutes: number; readonly hours: number }
  /** The store of signed agent releases; null if there is none. */
  readonly releases: {
    readonly store: ObjectStore
    readonly source: ReleaseSource
    /** Renews the timestamp of the releases. */
    readonly onlineKey: ReleaseKey | null
  } | null
  /** The store of files; null if there is none. */
  readonly files: ObjectStore | null
}

/** A part that an area owns: made once per worker, when it is first used. */
export function workerPart<Part extends object>(make: (parts: WorkerParts) => Part): (parts: WorkerParts) => Part {
  const made = new WeakMap<WorkerParts, Part>()
  return (parts) => {
    const known = made.get(parts)
    if (known !== undefined) return known
    const part = make(parts)
    made.set(parts, part)
    return part
  }
}
