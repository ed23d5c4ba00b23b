import { randomUUID } from 'node:crypto'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'
import { rebuildGenerations } from '@muster/areas/control/lifecycle/index.ts'
import { ensureMetricPartitions, heartbeatRowType } from '@muster/areas/fleet/devices/index.ts'
import { Deliverer } from '@muster/areas/platform/deliveries/index.ts'
import { ensureEventPartitions } from '@muster/areas/platform/events/index.ts'
import { backgroundSettings } from '@muster/areas/settings.ts'
import {
  arrivals,
  changeFollowers,
  counters,
  deliveryKinds,
  deploymentKinds,
  evaluators,
  followers,
  gauges,
  jobs,
  observers,
  outcomes,
  planKinds,
  records,
} from '@muster/areas/work.ts'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
import { createPool } from '@muster/db/pool.ts'
import { refusePowerfulLogin } from '@muster/db/roles.ts'
import type { Log } from '@muster/kit/log.ts'
import { createMetrics, observation } from '@muster/kit/metrics.ts'
import { readKeyring } from '@muster/kit/secrets/keyring.ts'
import type { Service } from '@muster/kit/service.ts'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { WorkerSettings } from './config.ts'
import { createDecoder, type Decoder } from './heartbeats/decoder.ts'
import { Live } from './heartbeats/live.ts'
import { exclusively } from './jobs/exclusive.ts'
import { createFollowers } from './jobs/followers.ts'
import { repeatedJobs, scheduledJobs } from './jobs/jobs.ts'
import { periodic } from './jobs/periodic.ts'
import { createStatistics } from './jobs/statistics.ts'
import {
  followerConnectionsMax,
  nodeSweepMs,
  reconcileMs,
  settleMs,
  startUpMs,
  systemConnectionsMax,
  writerConnectionsMax,
} from './limits.ts'
import { createFigures, createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
import { Arrivals } from './presence/arrivals.ts'
import { Presence } from './presence/presence.ts'
import { AfterCommit } from './shards/after-commit.ts'
import { ShardConsumer } from './shards/consumer.ts'
import { evaluatingOf } from './shards/evaluating.ts'
import { recordStores } from './shards/record-stores.ts'
import { Shards } from './shards/shards.ts'
import { WriteGroups } from './shards/write-groups.ts'
import { Writer } from './shards/writer.ts'

export interface Worker {
  services: Service[]
  info: () => { workerId: string; metricsPort: number | undefined }
}

interface Parts {
  settings: WorkerSettings
  workerId: string
  log: Log
  redis: Redis
  /** For the writes of shards alone, so that jobs and sweeps do not wait behind a backlog. */
  writers: pg.Pool
  pool: pg.Pool
  /** For followers of events alone, whose transactions run beside those of jobs. */
  following: pg.Pool
  decoder: Decoder
  metrics: WorkerMetrics
  live: Live
  presence: Presence
  arrivals: Arrivals
  /** What the background work of the areas uses. */
  worker: WorkerParts
}

/** Connects to the stores and builds the worker's services, in the order in which they start. */
export async function createWorker(settings: WorkerSettings, log: Log): Promise<Worker> {
  const registry = createMetrics('worker')
  const parts = await connectParts(settings, log, registry)
  const { redis, pool, writers, following, workerId, worker, metrics } = parts
  const observed = observation(registry, settings, {
    live: () => true,
    ready: async () => ({
      redis: (await redis.ping()) === 'PONG',
      database: (await pool.query('SELECT 1')).rowCount === 1,
    }),
  })
  const shards = await createShards(parts)
  const pools = { writer: writers, system: pool, follower: following }
  return {
    services: [
      stores(parts),
      observed,
      atStart('partitions', () => Promise.all([ensureMetricPartitions(pool), ensureEventPartitions(pool)])),
      createStatistics({ ...parts, pools, heldShards: () => shards.held }),
      scheduledJobs(jobs, worker, { databaseUrl: settings.SYSTEM_DATABASE_URL, metrics }),
      new Deliverer(worker, deliveryKinds),
      shards,
      createFollowers(followers, { ...worker, pool: following }),
      ...presenceServices(parts),
      ...repeatedJobs(jobs, worker),
    ],
    info: () => ({ workerId, metricsPort: observed.port }),
  }
}

async function connectParts(settings: WorkerSettings, log: Log, registry: Registry): Promise<Parts> {
  const workerId = randomUUID()
  const keyring = readKeyring(settings.KEYS_FILE)
  const url = settings.SYSTEM_DATABASE_URL
  const writers = createPool({ url, name: 'worker-writer', max: writerConnectionsMax })
  // One plan per statement: a new plan for arrays of every length costs more than it saves.
  writers.on('connect', (client) => {
    client.query('SET plan_cache_mode = force_generic_plan').catch(() => undefined)
  })
  const pool = createPool({ url, name: 'worker', max: systemConnectionsMax })
  const following = createPool({ url, name: 'worker-follower', max: followerConnectionsMax })
  const redis = connectRedis(settings.REDIS_URL, `worker-${workerId}`)
  await Promise.all([untilReady(redis, startUpMs), refusePowerfulLogin(pool)])
  const metrics = createWorkerMetrics(registry)
  const live = new Live(redis, pool, metrics)
  const worker: WorkerParts = {
    pool,
    redis,
    keyring,
    log,
    settings: { publicUrl: settings.PUBLIC_URL, ...backgroundSettings(settings) },
    outcomes,
    planKinds,
    observers,
    changeFollowers,
    deploymentKinds,
    publish: (events) => live.publish(events),
    ...createFigures(registry, { counters, gauges }),
  }
  return {
    settings,
    workerId,
    log,
    redis,
    writers,
    pool,
    following,
    decoder: createDecoder(),
    metrics,
    live,
    presence: new Presence({ pool, redis, live, log }),
    arrivals: new Arrivals(arrivals, worker),
    worker,
  }
}

async function createShards(parts: Parts): Promise<Shards> {
  const { settings, workerId, writers, log, redis, pool, worker } = parts
  const onRedisForgot = () => {
    rebuildGenerations(parts).catch((error: unknown) => log.warn({ err: error }, 'Generations are not rebuilt yet'))
  }
  const rowType = await heartbeatRowType(pool)
  const writer = new Writer({
    pool: writers,
    rowType,
    stores: recordStores(records),
    worker,
    evaluating: evaluatingOf(evaluators, worker),
  })
  const consumerParts = {
    ...parts,
    pool: writers,
    blocking: () => connectRedis(settings.REDIS_URL, `worker-${workerId}-blocking`, 'blocking'),
    writer,
    groups: new WriteGroups(writer, new AfterCommit(parts), parts.metrics),
    onRedisForgot,
  }
  const shards = settings.STREAM_SHARDS
  const open = (shard: number) => new ShardConsumer(consumerParts, shard, workerId, shards)
  return new Shards({ redis, workerId, shards, open, log })
}

function presenceServices({ redis, log, presence }: Parts): Service[] {
  const exclusive = (name: string, everyMs: number, work: () => Promise<unknown>) =>
    periodic(name, everyMs, log, () => exclusively(redis, name, work))
  return [
    periodic('presence', settleMs, log, () => presence.settle()),
    exclusive('node-sweep', nodeSweepMs, () => presence.sweepNodes()),
    exclusive('reconcile', reconcileMs, () => presence.reconcile()),
  ]
}

/** Starts first, so that it stops last. */
function stores({ decoder, redis, writers, pool, following, arrivals }: Parts): Service {
  return {
    name: 'stores',
    async run() {},
    async drain() {},
    async stop() {
      await arrivals.finish()
      await decoder.close()
      redis.disconnect()
      await Promise.all([writers.end(), pool.end(), following.end()])
    },
  }
}

/** Runs once, before the services after it start. */
function atStart(name: string, work: () => Promise<unknown>): Service {
  return {
    name,
    async run() {
      await work()
    },
    async drain() {},
    async stop() {},
  }
}
