import type { Redis, Subscriber } from '@muster/backplane/redis.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import type { Clock } from '@muster/kit/clock.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'

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
  readonly clock: Clock
  readonly log: Log
  readonly settings: Settings
  /** Where signed releases of the agent lie; null where there are none. */
  readonly releases: ObjectStore | null
  /** Where files of tenants are; null where the installation has no place for them. */
  readonly files: ObjectStore | null
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
  /** The address that enrolled agents are told to connect to. */
  readonly ingestUrl: string
  /** Further host names that this service answers to. */
  readonly allowedHosts?: readonly string[]
  /** Requests that one address may make of this process, on average; 0 sets no limit. */
  readonly requestsPerSecond?: number
  /** Event streams that this process holds open at most; 5,000 unless set. */
  readonly streamsMax?: number
  /** Private networks in CIDR form in which identity providers are allowed. */
  readonly ssoNetworks?: readonly string[]
  /** Where agents get their executables from. */
  readonly releases?: ReleaseSource
}

export interface ReleaseSource {
  /** With the release host, or from here. */
  readonly source: 'upstream' | 'local'
  /** Address of a host that answers like GitHub's interface: `https://api.github.com/repos/<owner>/<name>`. */
  readonly upstreamUrl: string | null
  readonly upstreamToken: string | null
  /** Networks in which the host may lie although they are not public. */
  readonly allowedNetworks: readonly string[]
}
