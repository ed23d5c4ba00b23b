// What a process needs to run operations: the services, and the steps of `run` filled in with Muster's own.

import type { Redis, Subscriber } from '@muster/backplane/redis.ts'
import { asCaller, asSystem, type Db } from '@muster/db/database.ts'
import { canRetry, refusalOf } from '@muster/db/violations.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import type { Runtime } from '@muster/kit/call.ts'
import { systemClock } from '@muster/kit/clock.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import { OpenStreams, usualStreamLimits } from '@muster/kit/open-streams.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { callerOfApiKey, carriesApiKey } from './access/api-keys/index.ts'
import { authenticate } from './access/auth/authenticate.ts'
import { CallerCache } from './access/auth/caller-cache.ts'
import { FloodLimit } from './access/auth/flood-limit.ts'
import { Limits } from './access/auth/limits.ts'
import { Passwords } from './access/auth/passwords.ts'
import { Sms } from './access/auth/sms.ts'
import { proveAgain } from './access/auth/step-up.ts'
import { AccessTokens } from './access/auth/tokens.ts'
import { DeviceRequests } from './fleet/devices/device-requests.ts'
import { LiveEvents } from './fleet/devices/live-events.ts'
import { OrderSigner } from './fleet/devices/order-signer.ts'
import { WatchedGroups } from './fleet/devices/watched-groups.ts'
import { Denials } from './platform/audit/denials.ts'
import { writeAuditRecords } from './platform/audit/records.ts'
import { repeatIn } from './repeats.ts'
import type { Services, Settings } from './services.ts'

export interface Parts {
  readonly people: pg.Pool
  readonly system: pg.Pool
  readonly redis: Redis
  /** For news of other processes; without it changes of authority elsewhere are seen within half a second instead of at once. */
  readonly subscriber?: Subscriber | null
  readonly keyring: Keyring
  readonly log: Log
  readonly settings: Settings
  readonly releases?: ObjectStore | null
  readonly files?: ObjectStore | null
}

/** Of one address, per process: far above what a person or a script does, far below what would hurt. */
const requestsPerSecond = 2_000

export function createServices({ subscriber = null, releases = null, files = null, ...parts }: Parts): Services {
  const clock = systemClock
  const limits = new Limits(parts.redis)
  const { redis, log, settings } = parts
  const signer = new OrderSigner(parts.keyring)
  return {
    ...parts,
    releases,
    files,
    clock,
    limits,
    sms: new Sms({ settings: settings.sms ?? null, redis, limits, log, keepsUnsent: Boolean(settings.outboxToken) }),
    passwords: new Passwords(),
    accessTokens: new AccessTokens(parts.keyring),
    callers: new CallerCache(clock, parts.redis, subscriber),
    live: new LiveEvents(parts.redis),
    groups: new WatchedGroups(parts.system, log),
    signer,
    deviceRequests: new DeviceRequests(parts.redis, signer),
    denials: new Denials({ system: parts.system, log, now: () => clock.now() }),
  }
}

export function createRuntime(services: Services): Runtime<Db, Services> {
  const { callers, clock, settings } = services
  const flood = new FloodLimit(settings.requestsPerSecond ?? requestsPerSecond, clock)
  return {
    services,
    async limit(_operation, request, reply) {
      const left = flood.take(request.ip)
      if (left === null) return
      reply.header('ratelimit-policy', flood.policy)
      reply.header('ratelimit', left)
    },
    authenticate: (request) =>
      carriesApiKey(request) ? callerOfApiKey(services, request) : authenticate(services, request),
    async transaction(caller, mode, work) {
      try {
        return await (caller === null ? asSystem(services.system, work) : asCaller(services.people, caller, mode, work))
      } catch (error) {
        throw refusalOf(error) ?? error
      }
    },
    canRetry: (error) => error instanceof Error && canRetry(error.cause),
    lock: (db, name) => sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db),
    repeat: (operation, caller, key, inputHash) => repeatIn(services, operation.id, caller, key, inputHash),
    denied: (operation, caller, request, why) => services.denials.add(operation.id, caller, request, why),
    audit: writeAuditRecords,
    stepUp: (operation, caller, proof, request) =>
      proveAgain(services, {
        operation,
        caller,
        proof,
        note: (record) => asSystem(services.system, (db) => writeAuditRecords(db, [record], caller, request)),
      }),
    effectFailed: (operation, error) =>
      services.log.error({ err: error, operation: operation.id }, 'an effect after the commit failed'),
    onAuthorityChange: (listener) => callers.onChange(listener),
    streams: new OpenStreams({ ...usualStreamLimits, perProcess: settings.streamsMax ?? usualStreamLimits.perProcess }),
  }
}
