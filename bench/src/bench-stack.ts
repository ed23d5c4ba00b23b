import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { SchemaError } from '@muster/db/migrate.ts'
import { type Stack, startStack } from '@muster/stack/stack.ts'
import type { Stores } from '@muster/stack/stores.ts'
import { withoutForcedMfa } from '@muster/testkit/administrator.ts'
import { Redis } from 'ioredis'
import pg from 'pg'
import { ensureFleet } from './fleet.ts'
import type { Target } from './generator/lean-socket.ts'
import { withDescendants } from './proc.ts'
import { seed } from './seed.ts'
import type { Groups } from './usage.ts'
import { pause, until } from './waiting.ts'

/*
 * A separate Muster for benchmarks under the temporary folder, with real durability. The data folder is kept between
 * runs, because its keyring signed the agents' certificates; the rows of a run are deleted before the next.
 */

export const benchFolder = join(tmpdir(), 'muster-bench')
const dataDir = join(benchFolder, 'data')
const lockFile = join(dataDir, 'launcher.lock')
const aloneMs = 1_200_000

export interface BenchStackOptions {
  readonly agents: number
  readonly ingest?: number
  readonly workers?: number
  readonly admin?: 0 | 1
  readonly settings?: Partial<Record<'admin' | 'worker' | 'ingest', Readonly<Record<string, string>>>>
  /** Further settings of PostgreSQL, as for ALTER SYSTEM. */
  readonly postgres?: Readonly<Record<string, string>>
  /** Where the processes write CPU profiles when they end. */
  readonly profile?: string | undefined
  /** Whether the apps are started; otherwise there are only stores and devices. */
  readonly isBare?: boolean
  say(line: string): void
}

export interface BenchStack {
  readonly stack: Stack
  readonly target: Target
  /** A connection as the owner of the tables. */
  readonly owner: pg.Client
  readonly redis: Redis
  readonly groups: Groups
  readonly fleetFolder: string
  stop(): Promise<void>
}

/** The first administrator of the benchmarks, who signs in with a password only. */
export const administrator = { email: 'bench@muster.example', password: 'correct-horse-battery-staple' } as const

/** Starts stores and processes with enrolled agents that have not reported yet. */
export async function startBenchStack(options: BenchStackOptions): Promise<BenchStack> {
  await mkdir(benchFolder, { recursive: true })
  await untilAlone(options.say)
  const stack = await start(options)
  const owner = new pg.Client({ connectionString: stack.urls.owner })
  const redis = new Redis(stack.urls.redis)
  const stop = async () => {
    await owner.end().catch(() => undefined)
    redis.disconnect()
    await stack.stop()
  }
  try {
    await owner.connect()
    await withoutForcedMfa(stack.urls.owner)
    const { port } = new URL(stack.urls.ingest)
    const target = { host: '127.0.0.1', port: Number(port), path: new URL(stack.urls.ingest).pathname }
    return { stack, target, owner, redis, groups: groupsOf(stack), fleetFolder: benchFolder, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const startsMax = 3

// The first start may find a database of another version, or one that needs other settings and therefore a second start.
async function start(options: BenchStackOptions): Promise<Stack> {
  for (let starts = 1; ; starts++) {
    try {
      return await startOnce(options)
    } catch (error) {
      if (starts === startsMax) throw error
      if (error instanceof SchemaError) {
        options.say(`starting with an empty database:  ${error.message}`)
        await rm(dataDir, { recursive: true, force: true })
      } else if (!(error instanceof SettingsChanged)) throw error
    }
  }
}

function startOnce(options: BenchStackOptions): Promise<Stack> {
  const counts = options.isBare
    ? { ingest: 0, workers: 0, admin: 0 as const }
    : { ingest: options.ingest ?? 1, workers: options.workers ?? 1, admin: options.admin ?? 0 }
  const { profile } = options
  const profiled: Record<string, string> =
    profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(profile)}` }
  return startStack({
    dataDir,
    durable: true,
    ...counts,
    bootstrap: administrator,
    settings: {
      ...options.settings,
      // The generator uses few addresses and devices for its load; flood protection is not measured.
      ingest: { ...profiled, LOG_LEVEL: 'warn', DEVICE_FRAMES_PER_SECOND: '1000', ...options.settings?.ingest },
      worker: { ...profiled, LOG_LEVEL: 'warn', ...options.settings?.worker },
      admin: { ...profiled, LOG_LEVEL: 'warn', REQUESTS_PER_SECOND: '1000000', ...options.settings?.admin },
    },
    onStores: async (stores) => {
      await ensureFleet(benchFolder, stores.secretFiles.keysFile, options.agents, options.say)
      await empty(stores, options)
    },
    onNote: options.say,
  })
}

// Two concurrent benchmarks would only measure each other.
async function untilAlone(say: (line: string) => void): Promise<void> {
  const locked = () => {
    const holder = /"pid":(\d+)/.exec(existsSync(lockFile) ? readFileSync(lockFile, 'utf8') : '')?.[1]
    return holder !== undefined && existsSync(`/proc/${holder}`)
  }
  if (!locked()) return
  say('another benchmark is running; waiting for its end')
  await until('the other benchmark to end', aloneMs, async () => !locked() || 'it still runs')
  // Its stores are removed last.
  await pause(1_000)
}

// Deletes the rows of earlier runs, and makes the servers record commit times.
async function empty(stores: Stores, { agents, postgres = {} }: BenchStackOptions): Promise<void> {
  const redis = new Redis(stores.urls.redis)
  const owner = new pg.Client({ connectionString: stores.urls.owner })
  await owner.connect()
  try {
    await requireSettings(owner, { track_commit_timestamp: 'on', shared_preload_libraries: '', ...postgres })
    await redis.flushall()
    await redis.bgrewriteaof()
    await seed(owner, agents)
  } finally {
    redis.disconnect()
    await owner.end()
  }
}

/** PostgreSQL applies the settings at its next start. */
class SettingsChanged extends Error {}

async function requireSettings(owner: pg.Client, settings: Readonly<Record<string, string>>): Promise<void> {
  const { rows } = await owner.query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [Object.keys(settings)],
  )
  const now = new Map(rows.map(({ name, setting }) => [name, setting]))
  if (Object.entries(settings).every(([name, value]) => now.get(name) === value)) return
  await owner.query('ALTER SYSTEM RESET ALL')
  // An empty value is the default; set explicitly, it would be a library without a name.
  for (const [name, value] of Object.entries(settings))
    if (value !== '')
      await owner.query(`ALTER SYSTEM SET ${owner.escapeIdentifier(name)} = ${owner.escapeLiteral(value)}`)
  throw new SettingsChanged('PostgreSQL has to start again with other settings')
}

function groupsOf(stack: Stack): Groups {
  const { engines } = stack.stores.folder
  const alive = (pids: (number | undefined)[]) => pids.filter((pid) => pid !== undefined)
  return {
    ingest: () => alive(stack.ingest.map(({ pid }) => pid)),
    worker: () => alive(stack.workers.map(({ pid }) => pid)),
    admin: () => alive([stack.admin?.pid]),
    postgres: () => withDescendants(pidIn(join(engines, 'postgres', 'postmaster.pid'))),
    redis: () => alive([pidIn(join(engines, 'redis', 'redis.pid'))]),
  }
}

function pidIn(path: string): number {
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : -1
}
