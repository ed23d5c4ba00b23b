import type { BackgroundSettings } from '@muster/areas/background/worker-parts.ts'
import { mailSettings } from '@muster/areas/platform/mail/settings.ts'
import { filesSettings } from '@muster/files/config.ts'
import { hostSettings, logLevel, onOff, port, postgresUrl, redisUrl, wholeNumber } from '@muster/kit/config.ts'
import { sourceSettings, storeSettings } from '@muster/releases/config.ts'
import { z } from 'zod'

/** The worker's settings. The number of shards has to be the same in every ingest and worker process. */
export const workerSettings = z.object({
  SYSTEM_DATABASE_URL: postgresUrl(),
  REDIS_URL: redisUrl(),
  KEYS_FILE: z.string({ error: 'should be the path of the key file' }).min(1),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port(9465),
  ...hostSettings,
  LOG_LEVEL: logLevel(),
  /** The address of this service in the links of mails. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'should look like https://muster.example.com' })
    .default('http://127.0.0.1:3000'),
  /** PUBLIC_URL may be plaintext off loopback. */
  ALLOW_PLAINTEXT: onOff(false),
  STREAM_SHARDS: wholeNumber(1, 1024, 8),
  /** How many days metrics are kept: heartbeats, and averages of five minutes and of an hour. */
  METRICS_RAW_DAYS: wholeNumber(2, 365, 7),
  METRICS_FIVE_MINUTE_DAYS: wholeNumber(2, 3_650, 30),
  METRICS_HOUR_DAYS: wholeNumber(2, 36_500, 365),
  ...mailSettings,
  ...sourceSettings,
  ...storeSettings,
  ...filesSettings,
  /** With it, this worker renews the timestamp of the releases. */
  RELEASE_ONLINE_KEY_FILE: z.string().optional(),
})
export type WorkerSettings = z.infer<typeof workerSettings>

export const metricDaysOf = (settings: WorkerSettings): BackgroundSettings['metricDays'] => ({
  raw: settings.METRICS_RAW_DAYS,
  fiveMinutes: settings.METRICS_FIVE_MINUTE_DAYS,
  hours: settings.METRICS_HOUR_DAYS,
})
