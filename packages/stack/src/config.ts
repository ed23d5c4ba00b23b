import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chosenSecret, onOff, port, postgresUrl, readConfig, redisUrl, wholeNumber } from '@muster/kit/config.ts'
import { z } from 'zod'

const project = fileURLToPath(new URL('../../../', import.meta.url))

const Settings = z.object({
  MUSTER_DATA_DIR: z.string().default(join(project, '.muster')),
  ADMIN_PORT: port(3000),
  INGEST_PORT: port(3001),
  /** Metrics port of the admin process; the worker uses the next, then the ingest processes. */
  METRICS_PORT: port(9464),
  /** Login that owns the database, or may become its owner. Without one, Muster starts its own PostgreSQL. */
  DATABASE_URL: postgresUrl().optional(),
  REDIS_URL: redisUrl().optional(),
  BOOTSTRAP_EMAIL: z.email({ error: 'must be an email address' }).default('admin@muster.local'),
  BOOTSTRAP_PASSWORD: chosenSecret().min(8, { error: 'must have at least 8 characters' }).optional(),
  MUSTER_LOCAL_AGENT: onOff(true),
  INGEST_PROCESSES: wholeNumber(1, 64, 1),
  AUTO_MIGRATE: onOff(true),
  ENABLE_REGISTRATION: onOff(false),
  ENABLE_2FA: onOff(true),
  /** The public address of the admin process, if it differs from its own. */
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must look like https://muster.example.com' }).optional(),
  /** Whether these two addresses may be unencrypted beyond loopback. */
  ALLOW_PLAINTEXT: onOff(false),
  /** The public address of ingest for agents, if it differs from its own. */
  INGEST_PUBLIC_URL: z.url({ protocol: /^wss?$/, error: 'must look like wss://agents.example.com/agent' }).optional(),
})

export type LauncherConfig = z.infer<typeof Settings>

/** The settings of the launcher. @throws ConfigError naming each invalid variable */
export function readLauncherConfig(environment: NodeJS.ProcessEnv = process.env): LauncherConfig {
  const config = readConfig(Settings, environment)
  return { ...config, MUSTER_DATA_DIR: resolve(config.MUSTER_DATA_DIR) }
}

// Only for the launcher: the owner login reads the rows of every tenant, and each process gets its own credentials. The
// outbox is enabled by an argument, so that a variable left in a shell does not open it.
const withheld =
  /^(DATABASE_URL|SYSTEM_DATABASE_URL|REDIS_URL|BOOTSTRAP_.*|KEYS_FILE|GRANT_KEYS_FILE|OUTBOX_TOKEN|NODE_CHANNEL_.*|npm_.*)$/

/** The environment of the processes: that of the launcher without its secrets. */
export function childEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const given = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return Object.fromEntries(given.filter(([name]) => !withheld.test(name ?? '')))
}
