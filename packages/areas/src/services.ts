import type { Redis, Subscriber } from '@muster/backplane/redis.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import type { Clock } from '@muster/kit/clock.ts'
import type { Log } from '@muster/kit/log.ts'
import type { GrantKeyring } from '@muster/kit/secrets/grant-keyring.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import type pg from 'pg'
import type { PlanKindOf } from './background/asked-plan.ts'
import type { DeploymentKind } from './background/deployment-kind.ts'
import type { Outcome } from './background/outcome.ts'
import type { ScriptUse } from './background/script-use.ts'

/** What every process has that runs operations. */
export interface Core {
  /** The caller's reach applies: `asCaller(people, caller, …)`. */
  readonly people: pg.Pool
  /** Beyond tenants: credential look-ups, public operations. */
  readonly system: pg.Pool
  readonly redis: Redis
  /** For messages of other processes; without it, changes of authority made elsewhere are seen within half a second. */
  readonly subscriber: Subscriber | null
  readonly keyring: Keyring
  /** The keys that sign grants of scripts: of admin alone. */
  readonly grantKeyring: GrantKeyring
  readonly clock: Clock
  readonly log: Log
  readonly settings: Settings
  /** Where signed releases of the agent lie; null where there are none. */
  readonly releases: ObjectStore | null
  /** Where files of tenants are; null where the installation has no place for them. */
  readonly files: ObjectStore | null
  /** What the end of a command changes, of all areas. */
  readonly outcomes: readonly Outcome[]
  /** What deployments can give to devices, of all areas. */
  readonly deploymentKinds: readonly DeploymentKind[]
  /** What a second person may have to approve, of all areas. */
  readonly planKinds: readonly PlanKindOf<Services>[]
  /** What can use scripts, of all areas. */
  readonly scriptUses: readonly ScriptUse[]
}

/** What handlers use beside their transaction. Areas add their own parts with `service`. */
export interface Services extends Core {
  /** The parts that were made for this process; a copy of the services shares them. */
  readonly core: Core
}

/** A part that an area owns: made once per process, when it is first asked for. */
export function service<T extends object>(make: (core: Core) => T) {
  const made = new WeakMap<Core, T>()
  const of = ({ core }: Pick<Services, 'core'>): T => {
    const known = made.get(core)
    if (known !== undefined) return known
    const part = make(core)
    made.set(core, part)
    return part
  }
  /** The services with another part in place of the usual one. */
  const replaced = (services: Services, part: T): Services => {
    const core = { ...services.core }
    made.set(core, part)
    return { ...services, core }
  }
  return Object.assign(of, { replaced })
}

/** The settings of a process. Areas add those that they alone read, in their `area.settings.ts`. */
export interface Settings {
  readonly version: string
  /** Where browsers and agents reach this service, without a trailing slash. */
  readonly publicUrl: string
  /** The address that enrolled agents connect to. */
  readonly ingestUrl: string
  /** Further host names that this service answers to. */
  readonly allowedHosts?: readonly string[]
  /** Requests that one address may make of this process, on average; 0 sets no limit. */
  readonly requestsPerSecond?: number
  /** Event streams that this process holds open at most; 5,000 unless set. */
  readonly streamsMax?: number
}
