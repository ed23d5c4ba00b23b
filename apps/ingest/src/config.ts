import { randomBytes } from 'node:crypto'
import {
  hostSettings,
  logLevel,
  networks,
  port,
  readConfig,
  redisUrl,
  unsignedAgentsUntil,
  wholeNumber,
} from '@muster/kit/config.ts'
import { z } from 'zod'

/** The settings of ingest. */
export const ingestSettings = z.object({
  /** Several processes may listen on one port; the kernel spreads new sockets over them. */
  INGEST_PORT: port(3001),
  INGEST_HOST: z.string().default('127.0.0.1'),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port(9466),
  /** Where agents connect from outside: its host is a name that this process answers to. */
  INGEST_PUBLIC_URL: z.url({ protocol: /^wss?$/, error: 'should look like wss://agents.example.com/agent' }).optional(),
  ...hostSettings,
  /** Addresses or networks of proxies whose X-Forwarded-For is believed, comma separated. */
  TRUSTED_PROXIES: networks(),
  REDIS_URL: redisUrl(),
  /** Keys that device certificates are verified with, and tickets made. */
  DEVICE_KEYS_FILE: z.string(),
  NODE_ID: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'should be 1 to 64 letters, digits, dots or dashes')
    .default(() => `i-${randomBytes(8).toString('hex')}`),
  HEARTBEAT_SECONDS: wholeNumber(1, 3600, 60),
  /** Has to be the same in every ingest and worker process. */
  STREAM_SHARDS: wholeNumber(1, 1024, 8),
  /** Sockets of this process; each needs a file descriptor. */
  SOCKETS_MAX: wholeNumber(1, 1_000_000, 19_500),
  /** New sockets that this process lets in per second, before any cryptography. */
  ADMISSIONS_PER_SECOND: wholeNumber(1, 100_000, 2_000),
  /** Frames per second that one device may send for long; sixty times as many at once. */
  DEVICE_FRAMES_PER_SECOND: wholeNumber(1, 10_000, 4),
  /** The same date as admin has. */
  UNSIGNED_AGENTS_UNTIL: unsignedAgentsUntil(),
  LOG_LEVEL: logLevel(),
})
export type IngestConfig = z.output<typeof ingestSettings>

/** The process's settings from the environment. */
export function readIngestConfig(environment?: NodeJS.ProcessEnv): IngestConfig {
  return readConfig(ingestSettings, environment)
}
