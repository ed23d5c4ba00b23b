// What a process needs to run operations: the services, and the steps of `run` filled in with Muster's own.

import type { Subscriber } from '@muster/backplane/redis.ts'
import { asCaller, asSystem, type Db } from '@muster/db/database.ts'
import { canRetry, refusalOf } from '@muster/db/violations.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import type { Runtime } from '@muster/kit/call.ts'
import { systemClock } from '@muster/kit/clock.ts'
import { OpenStreams, usualStreamLimits } from '@muster/kit/operation/open-streams.ts'
import { sql } from 'kysely'
import { callerOfApiKey, carriesApiKey } from './access/api-keys/index.ts'
import { proveAgain } from './access/auth/factors/step-up.ts'
import { FloodLimit } from './access/auth/flood-limit.ts'
import { authenticate } from './access/auth/sessions/authenticate.ts'
import { callersOf } from './caller-cache.ts'
import { denialsOf } from './platform/audit/denials.ts'
import { writeAuditRecords } from './platform/audit/records.ts'
import { repeatIn } from './repeats.ts'
import type { Core, Services } from './services.ts'
import { deploymentKinds, outcomes, planKinds, scriptUses } from './work.ts'

export interface Parts
  extends Omit<
    Core,
    'clock' | 'subscriber' | 'releases' | 'files' | 'outcomes' | 'deploymentKinds' | 'planKinds' | 'scriptUses'
  > {
  readonly subscriber?: Subscriber | null
  readonly releases?: ObjectStore | null
  readonly files?: ObjectStore | null
}

/** Of one address, per process: far above what a person or a script does, far below what would hurt. */
const requestsPerSecond = 2_000

export function createServices({ subscriber = null, releases = null, files = null, ...parts }: Parts): Services {
  const declared = { outcomes, deploymentKinds, planKinds, scriptUses }
  const core = { ...parts, ...declared, subscriber, releases, files, clock: systemClock }
  return { ...core, core }
}

export function createRuntime(services: Services): Runtime<Db, Services> {
  const { settings } = services
  const flood = new FloodLimit(settings.requestsPerSecond ?? requestsPerSecond)
  return {
    services,
    async limit(request, reply) {
      const left = await flood.take(request.ip)
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
    denied: (operation, caller, request, why) => denialsOf(services).add(operation.id, caller, request, why),
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
    onAuthorityChange: (listener) => callersOf(services).onChange(listener),
    streams: new OpenStreams({ ...usualStreamLimits, perProcess: settings.streamsMax ?? usualStreamLimits.perProcess }),
  }
}
