import { randomUUID } from 'node:crypto'
import { OrderSigner } from '@muster/areas/control/commands/delivery/order-signer.ts'
import type { JobParts } from '@muster/areas/job.ts'
import { jobs } from '@muster/areas/work.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { createPool } from '@muster/db/pool.ts'
import { refusePowerfulLogin } from '@muster/db/roles.ts'
import { filesStoreOf } from '@muster/files/config.ts'
import { type Keyring, readKeyring } from '@muster/kit/keyring.ts'
import type { Log } from '@muster/kit/log.ts'
import { createMetrics, observation } from '@muster/kit/metrics.ts'
import type { Service } from '@muster/kit/service.ts'
import { sourceOf, storeOf } from '@muster/releases/config.ts'
import { readReleaseKey } from '@muster/releases/keys.ts'
import type pg from 'pg'
import { rebuildGenerations } from '../../../packages/areas/src/control/lifecycle/generations.jobs.ts'
import { ensureMetricPartitions } from '../../../packages/areas/src/fleet/devices/metrics/retention.jobs.ts'
import { Aftermath } from './aftermath.ts'
import { Arrivals } from './arrivals.ts'
import { metricDaysOf, type WorkerSettings } from './config.ts'
import { ShardConsumer } from './consumer.ts'
import { createDecoder, type Decoder } from './decoder.ts'
import { exclusively } from './exclusive.ts'
import { heartbeatRowType } from './heartbeats.ts'
import { repeatedJobs, scheduledJobs } from './jobs.ts'
import {
  nodeSweepMs,
  reconcileMs,
  settleMs,
  startUpMs,
  sweepMs,
  systemConnectionsMax,
  watchdogAnswersMs,
  writerConnectionsMax,
} from './limits.ts'
import { Live } from './live.ts'
import { createMail } from './mail.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
import { periodic } from './periodic.ts'
import { Presence } from './presence.ts'
import { Shards } from './shards.ts'
import { createStatistics } from './statistics.ts'
import { endOverdueCommands, rerouteCommands } from './sweeps.ts'
import { WatchdogCertificates } from './watchdogs.ts'
import { WriteGroups } from './write-groups.ts'
import { Writer } from './writer.ts'

export interface Worker {
  services: Service[]
  info: () => { workerId: string; metricsPort: number | undefined }
}

interface Parts {
  settings: WorkerSettings
  workerId: string
  log: Log
  keyring: Keyring
  signer: OrderSigner
  redis: Redis
  /** Of the shards alone, so that sweeps and jobs never wait behind a backlog. */
  writers: pg.Pool
  pool: pg.Pool
  decoder: Decoder
  metrics: WorkerMetrics
  live: Live
  presence: Presence
  watchdogs: WatchdogCertificates
  arrivals: Arrivals
}

/** Connects to the stores and builds the worker's services, in the order in which they start. */
export async function createWorker(settings: WorkerSettings, log: Log): Promise<Worker> {
  const registry = createMetrics('worker')
  const parts = await connectParts(settings, log, createWorkerMetrics(registry))
  const { redis, pool, writers, workerId } = parts
  const observed = observation(registry, settings, {
    live: () => true,
    ready: async () => ({
      redis: (await redis.ping()) === 'PONG',
      database: (await pool.query('SELECT 1')).rowCount === 1,
    }),
  })
  const shards = await createShards(parts)
  const pools = { writer: writers, system: pool }
  const jobParts = { ...parts, settings: jobSettingsOf(settings) }
  return {
    services: [
      stores(parts),
      observed,
      beforehand('partitions', () => ensureMetricPartitions(pool)),
      createStatistics({ ...parts, pools, heldShards: () => shards.held }),
      scheduledJobs(jobs, jobParts, { databaseUrl: settings.SYSTEM_DATABASE_URL, metrics: parts.metrics }),
      createMail(parts),
      shards,
      ...repeated(parts),
      ...repeatedJobs(jobs, jobParts),
    ],
    info: () => ({ workerId, metricsPort: observed.port }),
  }
}

async function connectParts(settings: WorkerSettings, log: Log, metrics: WorkerMetrics): Promise<Parts> {
  const workerId = randomUUID()
  const keyring = readKeyring(settings.KEYS_FILE)
  const signer = new OrderSigner(keyring)
  const url = settings.SYSTEM_DATABASE_URL
  const writers = createPool({ url, name: 'worker-writer', max: writerConnectionsMax })
  // One plan per statement: planning anew for arrays of every length costs more than it gains.
  writers.on('connect', (client) => {
    client.query('SET plan_cache_mode = force_generic_plan').catch(() => undefined)
  })
  const pool = createPool({ url, name: 'worker', max: systemConnectionsMax })
  const redis = connectRedis(settings.REDIS_URL, `worker-${workerId}`)
  await Promise.all([untilReady(redis, startUpMs), refusePowerfulLogin(pool)])
  const live = new Live(redis, pool, metrics)
  const presence = new Presence({ pool, redis, live, metrics, log })
  const watchdogs = new WatchdogCertificates({ pool, redis, keyring, signer })
  const arrivals = new Arrivals({ pool, redis, keyring, signer, metrics, log })
  const decoder = createDecoder()
  return {
    settings,
    workerId,
    log,
    keyring,
    signer,
    redis,
    writers,
    pool,
    decoder,
    metrics,
    live,
    presence,
    watchdogs,
    arrivals,
  }
}

async function createShards(parts: Parts): Promise<Shards> {
  const { settings, workerId, writers, log, redis } = parts
  const onRedisForgot = () => {
    rebuildGenerations(parts).catch((error: unknown) => log.warn({ err: error }, 'generations are not rebuilt yet'))
  }
  const writer = new Writer(writers, await heartbeatRowType(parts.pool))
  const consumerParts = {
    ...parts,
    pool: writers,
    blocking: () => connectRedis(settings.REDIS_URL, `worker-${workerId}-blocking`, 'blocking'),
    writer,
    groups: new WriteGroups(writer, new Aftermath(parts), parts.metrics),
    onRedisForgot,
  }
  const shards = settings.STREAM_SHARDS
  const open = (shard: number) => new ShardConsumer(consumerParts, shard, workerId, shards)
  return new Shards({ redis, workerId, shards, open, log })
}

/** What is done now and then with the parts of this worker. */
function repeated(parts: Parts): Service[] {
  const { redis, log, presence, watchdogs } = parts
  const alone = (name: string, everyMs: number, work: () => Promise<unknown>) =>
    periodic(name, everyMs, log, () => exclusively(redis, name, work))
  return [
    periodic('presence', settleMs, log, () => presence.settle()),
    periodic('watchdog-certificates', watchdogAnswersMs, log, () => watchdogs.answer()),
    alone('node-sweep', nodeSweepMs, () => presence.sweepNodes()),
    alone('reconcile', reconcileMs, () => presence.reconcile()),
    alone('command-sweep', sweepMs, () => endOverdueCommands(parts)),
    alone('command-reroute', sweepMs, () => rerouteCommands(parts)),
  ]
}

function jobSettingsOf(settings: WorkerSettings): JobParts['settings'] {
  const store = storeOf(settings)
  const file = settings.RELEASE_ONLINE_KEY_FILE
  const onlineKey = file === undefined ? null : readReleaseKey(file)
  return {
    publicUrl: settings.PUBLIC_URL,
    metricDays: metricDaysOf(settings),
    releases: store && { store, source: sourceOf(settings), onlineKey },
    files: filesStoreOf(settings),
  }
}

/** Started first, so that it closes last. */
function stores({ decoder, redis, writers, pool, arrivals }: Parts): Service {
  return {
    name: 'stores',
    async run() {},
    async drain() {},
    async stop() {
      await arrivals.finish()
      await decoder.close()
      redis.disconnect()
      await Promise.all([writers.end(), pool.end()])
    },
  }
}

/** Done once, before what stands behind it starts. */
function beforehand(name: string, work: () => Promise<unknown>): Service {
  return {
    name,
    async run() {
      await work()
    },
    async drain() {},
    async stop() {},
  }
}
