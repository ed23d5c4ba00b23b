import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shardOf } from '@muster/backplane/device-id.ts'
import { deadStream, shardOwner, shardStream } from '@muster/backplane/keys.ts'
import { createLog } from '@muster/kit/log.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { workerSettings } from './config.ts'
import { type Bed, makeDevices, openBed, type TestDevice, TestNode, until } from './testing/bed.ts'
import { createWorker, type Worker } from './worker.ts'

const shards = 6
const numbers = Array.from({ length: shards }, (_, shard) => shard)
const bootId = randomInt(1, 2 ** 47)
let bed: Bed
let folder: string
let devices: TestDevice[]
let sequence = 0
const running = new Set<Worker>()

beforeAll(async () => {
  bed = await openBed()
  folder = await mkdtemp(join(tmpdir(), 'muster-worker-'))
  await writeFile(join(folder, 'keys.json'), JSON.stringify(createKeyring()), { mode: 0o600 })
  devices = await makeDevices(bed, 60)
})
afterAll(async () => {
  for (const worker of running) await end(worker)
  await bed?.close()
  await rm(folder, { recursive: true, force: true })
})

async function begin(): Promise<Worker> {
  const worker = await createWorker(
    workerSettings.parse({
      SYSTEM_DATABASE_URL: bed.systemUrl,
      REDIS_URL: bed.redisUrl,
      KEYS_FILE: join(folder, 'keys.json'),
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: 0,
      LOG_LEVEL: 'silent',
      STREAM_SHARDS: shards,
    }),
    createLog('worker', 'silent'),
  )
  running.add(worker)
  for (const service of worker.services) await service.run()
  return worker
}

async function end(worker: Worker): Promise<void> {
  running.delete(worker)
  const reversed = worker.services.toReversed()
  for (const service of reversed) await service.drain()
  for (const service of reversed) await service.stop()
}

/** One more heartbeat of every device. */
async function beat(): Promise<void> {
  sequence++
  for (const shard of numbers) {
    const node = new TestNode()
    for (const device of devices) if (shardOf(device.id, shards) === shard) node.heartbeat(device, bootId, sequence)
    await node.append(bed.redis, shard)
  }
}

const allStored = () =>
  until(
    'every heartbeat stored',
    async () => (await bed.pool.query('SELECT count(*)::int AS rows FROM device_metrics')).rows[0].rows,
    (rows) => rows >= devices.length * sequence,
    20_000,
  )
const owners = async () => new Set(await bed.redis.mget(...numbers.map(shardOwner)))
const ownersAre = (...workers: Worker[]) =>
  until(
    'the shards shared',
    async () => [...(await owners())].sort(),
    (found) =>
      found.join() ===
      workers
        .map((worker) => worker.info().workerId)
        .sort()
        .join(),
    20_000,
  )

it('shares shards between two workers, hands them over, and continues after Redis lost everything', async () => {
  const first = await begin()
  await beat()
  await allStored()
  const second = await begin()
  await ownersAre(first, second)
  for (let beats = 0; beats < 10; beats++) await beat()
  await allStored()
  await bed.redis.flushdb()
  await ownersAre(first, second)
  for (let beats = 0; beats < 10; beats++) await beat()
  await allStored()
  await end(first)
  for (let beats = 0; beats < 10; beats++) await beat()
  await allStored()
  await ownersAre(second)
  const { rows } = await bed.pool.query(
    'SELECT count(*)::int AS rows, count(DISTINCT (device_id, sequence))::int AS heartbeats FROM device_metrics',
  )
  const all = devices.length * sequence
  expect(rows).toEqual([{ rows: all, heartbeats: all }])
  expect(await bed.redis.exists(...numbers.map(deadStream))).toBe(0)
}, 90_000)

it('serves health checks and metrics', async () => {
  const [worker] = running
  if (worker === undefined) throw new Error('no worker runs')
  const look = async (path: string) => (await fetch(`http://127.0.0.1:${worker.info().metricsPort}${path}`)).text()
  expect(JSON.parse(await look('/health/ready'))).toEqual({ ready: true, parts: { redis: true, database: true } })
  const figures = await until(
    'the shards',
    () => look('/metrics'),
    (text) => /muster_worker_shards\{[^}]*\} 6/.test(text),
  )
  expect(figures).toMatch(/muster_worker_heartbeats_total\{app="worker"\} [1-9]/)
  expect(figures).toMatch(/muster_worker_stream_entries\{shard="0",app="worker"\} 0/)
  expect(figures).toContain('muster_worker_write_seconds_bucket')
  expect(await bed.redis.xlen(shardStream(0))).toBe(0)
})
