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
  /** Several processes can listen on one port; the kernel distributes new sockets among them. */
  INGEST_PORT: port(3001),
  INGEST_HOST: z.string().default('127.0.0.1'),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port(9466),
  /** The public address for agents. Its host is one of the names that this process answers to. */
  INGEST_PUBLIC_URL: z.url({ protocol: /^wss?$/, error: 'must look like wss://agents.example.com/agent' }).optional(),
  ...hostSettings,
  /** Addresses or networks of proxies whose X-Forwarded-For is trusted, comma separated. */
  TRUSTED_PROXIES: networks(),
  REDIS_URL: redisUrl(),
  /** Keys for verifying device certificates and making tickets. */
  DEVICE_KEYS_FILE: z.string(),
  NODE_ID: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots or dashes')
    .default(() => `i-${randomBytes(8).toString('hex')}`),
  HEARTBEAT_SECONDS: wholeNumber(1, 3600, 60),
  /** Must be the same in every ingest and worker process. */
  STREAM_SHARDS: wholeNumber(1, 1024, 8),
  /** Maximum sockets of this process; each needs a file descriptor. */
  SOCKETS_MAX: wholeNumber(1, 1_000_000, 19_500),
  /** New sockets per second that this process admits, before any cryptography. */
  ADMISSIONS_PER_SECOND: wholeNumber(1, 100_000, 2_000),
  /** Sustained frames per second of one device; the burst is sixty times that. */
  DEVICE_FRAMES_PER_SECOND: wholeNumber(1, 10_000, 4),
  /** Must be the same date as in admin. */
  UNSIGNED_AGENTS_UNTIL: unsignedAgentsUntil(),
  LOG_LEVEL: logLevel(),
})
export type IngestConfig = z.output<typeof ingestSettings>

/** Reads the settings from the environment. */
export function readIngestConfig(environment?: NodeJS.ProcessEnv): IngestConfig {
  return readConfig(ingestSettings, environment)
}
