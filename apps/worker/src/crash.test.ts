import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { shardOf } from '@muster/backplane/device-id.ts'
import { shardOwner, shardStream } from '@muster/backplane/keys.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Bed, makeDevices, openBed, TestNode, untilDrained } from './testing/bed.ts'

const shards = 4
const kills = 20
let bed: Bed
let folder: string
const children = new Set<ChildProcess>()

beforeAll(async () => {
  bed = await openBed()
  folder = await mkdtemp(join(tmpdir(), 'muster-worker-'))
  await writeFile(join(folder, 'keys.json'), JSON.stringify(createKeyring()), { mode: 0o600 })
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await bed?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A real worker process; resolves when it says that it runs. */
async function startWorker(): Promise<ChildProcess> {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const child = spawn(process.execPath, [main], {
    env: {
      SYSTEM_DATABASE_URL: bed.systemUrl,
      REDIS_URL: bed.redisUrl,
      KEYS_FILE: join(folder, 'keys.json'),
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
      STREAM_SHARDS: String(shards),
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  children.add(child)
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)))
  })
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill(signal)
  const code = await ended
  children.delete(child)
  return code
}

it(`loses nothing and stores nothing twice when the worker is killed ${kills} times`, async () => {
  const devices = await makeDevices(bed, 80)
  const node = new TestNode()
  const bootId = randomInt(1, 2 ** 47)
  let sequence = 0
  let isFeeding = true
  const feed = async () => {
    while (isFeeding) {
      sequence++
      for (let shard = 0; shard < shards; shard++) {
        for (const device of devices) {
          if (shardOf(device.id, shards) !== shard) continue
          // A frame that was not acknowledged comes again before the next.
          if (sequence > 1 && randomInt(10) === 0) node.heartbeat(device, bootId, sequence - 1)
          node.heartbeat(device, bootId, sequence)
        }
        await node.append(bed.redis, shard)
      }
      await pause(5)
    }
  }
  const feeding = feed()
  for (let kill = 0; kill < kills; kill++) {
    const worker = await startWorker()
    await pause(randomInt(20, 400))
    await end(worker, 'SIGKILL')
    // The leases of killed workers expire; the test does not wait for that.
    for (let shard = 0; shard < shards; shard++) await bed.redis.del(shardOwner(shard))
  }
  const stored = async () =>
    (
      await bed.pool.query(
        'SELECT count(*)::int AS rows, count(DISTINCT (device_id, sequence))::int AS heartbeats FROM device_metrics',
      )
    ).rows[0]
  const beforeLast = await stored()
  isFeeding = false
  await feeding
  const worker = await startWorker()
  for (let shard = 0; shard < shards; shard++) await untilDrained(bed.redis, shard, 60_000)
  const all = devices.length * sequence
  expect(await stored()).toEqual({ rows: all, heartbeats: all })
  // The kills fell into work, not before it.
  expect(beforeLast.rows).toBeGreaterThan(0)
  const { rows } = await bed.pool.query('SELECT DISTINCT boot_id, sequence FROM device_state')
  expect(rows).toEqual([{ boot_id: bootId, sequence }])
  for (let shard = 0; shard < shards; shard++) expect(await bed.redis.exists(`dead:{${shard}}`)).toBe(0)
  expect(await end(worker, 'SIGTERM')).toBe(0)
  expect(await bed.redis.mget(...Array.from({ length: shards }, (_, shard) => shardOwner(shard)))).toEqual(
    Array(shards).fill(null),
  )
  expect(await bed.redis.exists(shardStream(0))).toBe(1)
}, 240_000)
