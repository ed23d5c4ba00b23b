import { fileURLToPath } from 'node:url'
import { areaEnvironment } from '@muster/areas/settings.ts'
import { filesSettings } from '@muster/files/config.ts'
import {
  chosenSecret,
  hostSettings,
  logLevel,
  networks,
  onOff,
  port,
  postgresUrl,
  redisUrl,
  wholeNumber,
} from '@muster/kit/config.ts'
import { z } from 'zod'

/** The settings of the admin process. */
export const adminSettings = z.object({
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_PORT: port(3000),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port(9464),
  /** Connection string of the role muster_app. */
  DATABASE_URL: postgresUrl(),
  /** Connection string of the role muster_system. */
  SYSTEM_DATABASE_URL: postgresUrl(),
  REDIS_URL: redisUrl(),
  KEYS_FILE: z.string(),
  /** The keys that sign grants of scripts. Only admin may read this file. */
  GRANT_KEYS_FILE: z.string({ error: 'should be a file that `npm run keys -- create grants <file>` made' }).min(1),
  PUBLIC_URL: z.url().optional(),
  ...hostSettings,
  INGEST_PUBLIC_URL: z.url({ protocol: /^wss?$/ }).default('ws://127.0.0.1:3001/agent'),
  /** Allows PUBLIC_URL and INGEST_PUBLIC_URL without TLS outside of loopback. */
  ALLOW_PLAINTEXT: onOff(false),
  BOOTSTRAP_EMAIL: z.email().optional(),
  BOOTSTRAP_PASSWORD: chosenSecret().min(8).optional(),
  /** The folder of the built console. */
  CONSOLE_DIR: z.string().default(fileURLToPath(new URL('../../console/dist', import.meta.url))),
  /** Addresses or networks of trusted proxies, comma separated. Their X-Forwarded-For is used. */
  TRUSTED_PROXIES: networks(),
  /** Average number of requests per second from one address to this process; 0 sets no limit. */
  REQUESTS_PER_SECOND: wholeNumber(0, 1_000_000, 2_000),
  /** Maximum number of open event streams in this process. Each needs a socket. */
  STREAMS_MAX: wholeNumber(1, 100_000, 5_000),
  ...areaEnvironment,
  ...filesSettings,
  LOG_LEVEL: logLevel(),
})
