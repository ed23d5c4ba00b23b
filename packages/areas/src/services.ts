import type { Redis } from '@muster/backplane/redis.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import type { Clock } from '@muster/kit/clock.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import type { CallerCache } from './access/auth/caller-cache.ts'
import type { Limits } from './access/auth/limits.ts'
import type { Passwords } from './access/auth/passwords.ts'
import type { Sms, SmsSettings } from './access/auth/sms.ts'
import type { AccessTokens } from './access/auth/tokens.ts'
import type { DeviceRequests } from './fleet/devices/device-requests.ts'
import type { LiveEvents } from './fleet/devices/live-events.ts'
import type { OrderSigner } from './fleet/devices/order-signer.ts'
import type { WatchedGroups } from './fleet/devices/watched-groups.ts'
import type { Denials } from './platform/audit/denials.ts'

/** What handlers use beside their transaction. Built once per process, never reached through a global. */
export interface Services {
  /** The caller's reach applies: `asCaller(people, caller, …)`. */
  readonly people: pg.Pool
  /** Beyond tenants: credential look-ups, public operations. */
  readonly system: pg.Pool
  readonly redis: Redis
  readonly keyring: Keyring
  readonly clock: Clock
  readonly log: Log
  readonly settings: Settings
  readonly limits: Limits
  readonly passwords: Passwords
  readonly accessTokens: AccessTokens
  readonly callers: CallerCache
  readonly sms: Sms
  readonly live: LiveEvents
  readonly groups: WatchedGroups
  readonly deviceRequests: DeviceRequests
  /** Makes orders to devices. */
  readonly signer: OrderSigner
  /** Refusals with 403 on their way to the audit log. */
  readonly denials: Denials
  /** Where signed releases of the agent lie; null where there are none. */
  readonly releases: ObjectStore | null
  /** Where files of tenants are; null where the installation has no place for them. */
  readonly files: ObjectStore | null
}

export interface Settings {
  readonly version: string
  /** Where browsers and agents reach this service, without a trailing slash. */
  readonly publicUrl: string
  /** The address that enrolled agents are told to connect to. */
  readonly ingestUrl: string
  /** Further host names that this service answers to. */
  readonly allowedHosts?: readonly string[]
  readonly enableRegistration: boolean
  /** May anybody register a partner, which then waits for approval? Yes unless said otherwise. */
  readonly enablePartnerRegistration?: boolean
  /** Does a registered partner become active as soon as its e-mail address is confirmed? */
  readonly autoApprovePartners?: boolean
  readonly enable2fa: boolean
  /** The secret part of the outbox's address; without one there is no outbox. */
  readonly outboxToken?: string | null
  /**
   * Does a worker have a mail server? Yes unless said otherwise. Without one, the links of invitations and resets are in the
   * answer to the administrator who asks for them.
   */
  readonly mailServer?: boolean
  /** Requests that one address may make of this process, on average; 0 sets no limit. */
  readonly requestsPerSecond?: number
  /** Event streams that this process holds open at most; 5,000 unless set. */
  readonly streamsMax?: number
  /** Networks in CIDR form where identity providers may be although nobody else's addresses may lead there. */
  readonly ssoNetworks?: readonly string[]
  /** Until when agents are sent commands that cannot check signed orders; without it, always. */
  readonly unsignedAgentsUntilMs?: number
  /** Number of streams into which ingest puts what agents send; 8 unless said otherwise. */
  readonly streamShards?: number
  /** Null where there is no gateway. */
  readonly sms?: SmsSettings | null
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
