// What a worker gives to the background work of the areas.
import type { Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import type pg from 'pg'
import type { ChangeFollower } from '../fleet/devices/changes/change-follower.ts'
import type { PartnerEvent } from '../platform/live-events/publish.ts'
import type { Counter } from './counter.ts'
import type { DeploymentKind } from './deployment-kind.ts'
import type { Gauge } from './gauge.ts'
import type { Observer } from './observer.ts'
import type { Outcome } from './outcome.ts'
import type { PlanKind } from './plan-kind.ts'

export interface WorkerParts {
  /** Of the system login, which row-level security does not limit to a tenant. */
  readonly pool: pg.Pool
  readonly redis: Redis
  readonly keyring: Keyring
  readonly log: Log
  readonly settings: BackgroundSettings
  /** Of all areas. */
  readonly outcomes: readonly Outcome[]
  /** Of all areas. */
  readonly planKinds: readonly PlanKind[]
  /** Of all areas. */
  readonly observers: readonly Observer[]
  /** Of all areas. */
  readonly changeFollowers: readonly ChangeFollower[]
  /** Of all areas. */
  readonly deploymentKinds: readonly DeploymentKind[]
  /** Publishes events and counts them. */
  publish(events: readonly PartnerEvent[]): Promise<void>
  count<Label extends string>(counter: Counter<Label>, labels: Readonly<Record<Label, string>>, by?: number): void
  set(gauge: Gauge, value: number): void
}

/** The settings of background work. Areas add those that they alone read, in their `area.settings.ts`. */
export interface BackgroundSettings {
  /** The address at which people and agents reach this service. */
  readonly publicUrl: string
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
