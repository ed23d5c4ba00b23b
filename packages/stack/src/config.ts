import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chosenSecret, onOff, port, postgresUrl, readConfig, redisUrl, wholeNumber } from '@muster/kit/config.ts'
import { z } from 'zod'

const project = fileURLToPath(new URL('../../../', import.meta.url))

const Settings = z.object({
  MUSTER_DATA_DIR: z.string().default(join(project, '.muster')),
  ADMIN_PORT: port(3000),
  INGEST_PORT: port(3001),
  /** Of the admin process; the worker's is the next, then those of the ingest processes. */
  METRICS_PORT: port(9464),
  /** Login that owns the database, or may become its owner. Without one, Muster brings its own PostgreSQL. */
  DATABASE_URL: postgresUrl().optional(),
  REDIS_URL: redisUrl().optional(),
  BOOTSTRAP_EMAIL: z.email({ error: 'should be an e-mail address' }).default('admin@muster.local'),
  BOOTSTRAP_PASSWORD: chosenSecret().min(8, { error: 'should have at least 8 characters' }).optional(),
  MUSTER_LOCAL_AGENT: onOff(true),
  INGEST_PROCESSES: wholeNumber(1, 64, 1),
  AUTO_MIGRATE: onOff(true),
  ENABLE_REGISTRATION: onOff(false),
  ENABLE_2FA: onOff(true),
  /** How people reach the admin process when it is not under its own address. */
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'should look like https://muster.example.com' }).optional(),
  /** Whether these two may be plaintext off loopback. */
  ALLOW_PLAINTEXT: onOff(false),
  /** How agents reach ingest when it is not under its own address. */
  INGEST_PUBLIC_URL: z.url({ protocol: /^wss?$/, error: 'should look like wss://agents.example.com/agent' }).optional(),
})

export type LauncherConfig = z.infer<typeof Settings>

/** The launcher's settings. @throws ConfigError naming each wrong variable */
export function readLauncherConfig(environment: NodeJS.ProcessEnv = process.env): LauncherConfig {
  const config = readConfig(Settings, environment)
  return { ...config, MUSTER_DATA_DIR: resolve(config.MUSTER_DATA_DIR) }
}

// What belongs to the launcher alone: the owner's login opens every tenant's rows, and each process gets its own share. The
// outbox is asked for by an argument, so that no variable left over in a shell opens it.
const withheld =
  /^(DATABASE_URL|SYSTEM_DATABASE_URL|REDIS_URL|BOOTSTRAP_.*|KEYS_FILE|OUTBOX_TOKEN|NODE_CHANNEL_.*|npm_.*)$/

/** The environment for the processes: ours, without what they must not know. */
export function childEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const given = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return Object.fromEntries(given.filter(([name]) => !withheld.test(name ?? '')))
}
