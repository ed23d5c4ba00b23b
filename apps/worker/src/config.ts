import { workerEnvironment } from '@muster/areas/settings.ts'
import { hostSettings, logLevel, onOff, port, postgresUrl, redisUrl, wholeNumber } from '@muster/kit/config.ts'
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
  ...workerEnvironment,
})
export type WorkerSettings = z.infer<typeof workerSettings>
