import { randomUUID } from 'node:crypto'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'
import { heartbeatRowType } from '@muster/areas/fleet/devices/metrics/heartbeats.ts'
import {
  arrivals as areaArrivals,
  changeFollowers,
  counters,
  deploymentKinds,
  evaluators,
  gauges,
  observers,
  outcomes,
  planKinds,
  records,
} from '@muster/areas/work.ts'
import { BatchWriter, recordKinds } from '@muster/backplane/batch.ts'
import { deviceIdToBytes } from '@muster/backplane/device-id.ts'
import { batchField, shardOwner, shardStream } from '@muster/backplane/keys.ts'
import { pack } from '@muster/backplane/pack.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { createPool } from '@muster/db/pool.ts'
import { createLog } from '@muster/kit/log.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { outgoingForTests } from '@muster/testkit/outgoing.ts'
import { ownDatabase, ownRedisDatabase } from '@muster/testkit/stores.ts'
import { encodeHeartbeat } from '@muster/wire/heartbeat-frame.ts'
import { encodeUp, type UpMessage } from '@muster/wire/up.ts'
import pg from 'pg'
import { Registry } from 'prom-client'
import { afterAll } from 'vitest'
import { createDecoder } from '../heartbeats/decoder.ts'
import { Live } from '../heartbeats/live.ts'
import { createFigures, createWorkerMetrics } from '../metrics.ts'
import { Arrivals } from '../presence/arrivals.ts'
import { Presence } from '../presence/presence.ts'
import { AfterCommit } from '../shards/after-commit.ts'
import { ShardConsumer } from '../shards/consumer.ts'
import { evaluatingOf } from '../shards/evaluating.ts'
import { recordStores } from '../shards/record-stores.ts'
import { WriteGroups } from '../shards/write-groups.ts'
import { Writer } from '../shards/writer.ts'

export interface TestDevice {
  id: string
  bytes: Uint8Array
  orgId: string
  partnerId: string
  siteId: string
}

/** Settings of background work without releases, files and a mail server. */
export const testSettings: WorkerParts['settings'] = {
  publicUrl: 'http://127.0.0.1:3000',
  heartbeatSeconds: 60,
  metricDays: { raw: 7, fiveMinutes: 30, hours: 365 },
  releases: null,
  files: null,
  outgoing: outgoingForTests,
  mail: { smtpUrl: null, from: 'muster@example.test', keepsUnsent: false },
}

/** Stores for one test file: a migrated database, and a Redis database that it may flush. */
export async function openBed() {
  const database = await ownDatabase()
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 })
  const { url: redisUrl, release } = await ownRedisDatabase()
  const redis = connectRedis(redisUrl, 'worker-test')
  await untilReady(redis, 10_000)
  const pool = createPool({ url: database.systemUrl, name: 'worker-test', max: 6 })
  return {
    systemUrl: database.systemUrl,
    redisUrl,
    redis,
    pool,
    owner,
    blocking: () => connectRedis(redisUrl, 'worker-test-blocking', 'blocking'),
    async close() {
      redis.disconnect()
      await Promise.all([pool.end(), owner.end()])
      await Promise.all([database.drop(), release()])
    },
  }
}
export type Bed = Awaited<ReturnType<typeof openBed>>

/** A new partner with one organization, one site and `count` enrolled devices. */
export async function makeDevices({ owner }: Bed, count: number): Promise<TestDevice[]> {
  const name = randomUUID()
  const { rows } = await owner.query<{ id: string; org_id: string; partner_id: string; site_id: string }>(
    `WITH p AS (INSERT INTO partners (name, slug, status) VALUES ($1, $1, 'active') RETURNING id),
      o AS (INSERT INTO organizations (partner_id, name, slug) SELECT id, $1, $1 FROM p RETURNING id, partner_id),
      s AS (INSERT INTO sites (org_id, partner_id, name) SELECT id, partner_id, $1 FROM o RETURNING id, org_id, partner_id),
      d AS (INSERT INTO devices (org_id, partner_id, site_id, hostname, enrolled_at, public_key)
        SELECT org_id, partner_id, id, 'host-' || n, now(), $3 FROM s, generate_series(1, $2) n RETURNING id, org_id, partner_id, site_id),
      st AS (INSERT INTO device_state (device_id, org_id, partner_id) SELECT id, org_id, partner_id FROM d)
    SELECT * FROM d`,
    [name, count, 'A'.repeat(43)],
  )
  return rows.map((row) => ({
    id: row.id,
    bytes: deviceIdToBytes(row.id),
    orgId: row.org_id,
    partnerId: row.partner_id,
    siteId: row.site_id,
  }))
}

/** Writes batches as a gateway does. */
export class TestNode {
  readonly id: string
  readonly #batch: BatchWriter

  constructor(id = `node-${randomUUID().slice(0, 8)}`) {
    this.id = id
    this.#batch = new BatchWriter(id, 8 * 1024 * 1024)
  }

  heartbeat(device: Pick<TestDevice, 'bytes'>, bootId: number, sequence: number, atMs = Date.now(), cpu = 12.5): this {
    const frame = encodeHeartbeat(sequence, [cpu, 8e9, 16e9, 1e11, 5e11, 0.75, 100_000, 1e9, 2e9, 200])
    return this.record(33, device, bootId, sequence, atMs, frame)
  }

  message(device: TestDevice, bootId: number, message: UpMessage, atMs = Date.now()): this {
    const frame = encodeUp(message)
    return this.record(frame[1] ?? 0, device, bootId, message.sequence, atMs, frame)
  }

  connected(device: TestDevice, bootId: number, atMs = Date.now(), more: Record<string, unknown> = {}): this {
    const body = {
      agentVersion: '1.0.0',
      role: 'agent',
      gen: 1,
      certificateExpiresAt: Date.now() + 1e10,
      remoteAddress: '::1',
    }
    return this.record(recordKinds.connected, device, bootId, 0, atMs, pack({ ...body, ...more }))
  }

  disconnected(device: TestDevice, bootId: number, atMs = Date.now(), role = 'agent'): this {
    return this.record(recordKinds.disconnected, device, bootId, 0, atMs, pack({ role, code: 1006 }))
  }

  sent(device: TestDevice, bootId: number, commandId: string, atMs = Date.now()): this {
    return this.record(recordKinds.sent, device, bootId, 0, atMs, pack({ commandId }))
  }

  refused(device: TestDevice, commandId: string, atMs = Date.now(), reason = 'not connected'): this {
    return this.record(recordKinds.refused, device, 0, 0, atMs, pack({ commandId, reason }))
  }

  record(
    kind: number,
    device: Pick<TestDevice, 'bytes'>,
    bootId: number,
    sequence: number,
    atMs: number,
    payload: Uint8Array,
  ): this {
    if (!this.#batch.append(kind, device.bytes, bootId, sequence, atMs, payload)) throw new Error('the batch is full')
    return this
  }

  flush(): Buffer {
    return this.#batch.flush()
  }

  /** Appends the collected records as one entry of a shard's stream. */
  async append(redis: Redis, shard: number): Promise<string> {
    return appendEntry(redis, shard, this.flush())
  }
}

export async function appendEntry(redis: Redis, shard: number, batch: Buffer): Promise<string> {
  const id = await redis.xadd(shardStream(shard), '*', batchField, batch)
  if (id === null) throw new Error('the entry was not appended')
  return id
}

/** The parts of a worker on these stores, without timers. They have their own connections, which a test may close. */
export async function makeParts(bed: Bed) {
  const { pool, blocking } = bed
  const redis = connectRedis(bed.redisUrl, 'worker-test-commands')
  await untilReady(redis, 10_000)
  const log = createLog('worker-test', 'silent')
  const registry = new Registry()
  const metrics = createWorkerMetrics(registry)
  const live = new Live(redis, pool, metrics)
  const keyring = createKeyring()
  const worker: WorkerParts = {
    pool,
    redis,
    keyring,
    log,
    settings: testSettings,
    outcomes,
    planKinds,
    observers,
    changeFollowers,
    deploymentKinds,
    publish: (events) => live.publish(events),
    ...createFigures(registry, { counters, gauges }),
  }
  const presence = new Presence({ pool, redis, live, log })
  const arrivals = new Arrivals(areaArrivals, worker)
  const forgotten: number[] = []
  const decoder = createDecoder()
  const rowType = await heartbeatRowType(pool)
  const writer = new Writer({
    pool,
    rowType,
    stores: recordStores(records),
    worker,
    evaluating: evaluatingOf(evaluators, worker),
  })
  const groups = new WriteGroups(writer, new AfterCommit({ live, presence, arrivals, metrics, log }), metrics)
  const onRedisForgot = () => void forgotten.push(Date.now())
  const close = async () => {
    await arrivals.finish()
    redis.disconnect()
    await decoder.close()
  }
  return {
    close,
    pool,
    redis,
    blocking,
    log,
    registry,
    metrics,
    live,
    keyring,
    worker,
    presence,
    decoder,
    writer,
    groups,
    onRedisForgot,
    forgotten,
  }
}
export type Parts = Awaited<ReturnType<typeof makeParts>>

/** Takes the lease of a shard and drains it. */
export async function startConsumer(parts: Parts, shard: number, name = randomUUID()): Promise<ShardConsumer> {
  await parts.redis.set(shardOwner(shard), name, 'PX', 60_000)
  return new ShardConsumer(parts, shard, name, 1)
}

/** The stores and parts of a test file whose worker drains shard 0. They end with the file. */
export async function withConsumer(): Promise<{ bed: Bed; parts: Parts }> {
  const bed = await openBed()
  const parts = await makeParts(bed)
  const consumer = await startConsumer(parts, 0)
  afterAll(async () => {
    await consumer.stop()
    await parts.close()
    await bed.close()
  })
  return { bed, parts }
}

/** Polls until the value holds; fails with the last value. */
export async function until<T>(
  what: string,
  look: () => Promise<T>,
  holds: (value: T) => boolean,
  ms = 10_000,
): Promise<T> {
  const deadline = Date.now() + ms
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    if (Date.now() > deadline) throw new Error(`${what}: still ${JSON.stringify(value)?.slice(0, 500)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Waits until the shard's stream is empty. */
export const untilDrained = (redis: Redis, shard: number, ms?: number): Promise<number> =>
  until(
    `shard ${shard} drained`,
    () => redis.xlen(shardStream(shard)),
    (length) => length === 0,
    ms,
  )

/** The stored heartbeats of devices, as `boot:sequence`, in order of their times. */
export async function storedOf({ pool }: Pick<Bed, 'pool'>, devices: readonly TestDevice[]): Promise<string[]> {
  const { rows } = await pool.query<{ boot_id: number; sequence: number }>(
    'SELECT boot_id, sequence FROM device_metrics WHERE device_id = ANY($1::uuid[]) ORDER BY at, boot_id, sequence',
    [devices.map((device) => device.id)],
  )
  return rows.map((row) => `${row.boot_id}:${row.sequence}`)
}
