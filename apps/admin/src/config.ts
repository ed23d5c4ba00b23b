import { fileURLToPath } from 'node:url'
import { smsSettings } from '@muster/areas/access/auth/sms-settings.ts'
import { outboxToken } from '@muster/areas/platform/mail/settings.ts'
import { filesSettings } from '@muster/files/config.ts'
import {
  chosenSecret,
  hostSettings,
  logLevel,
  networks,
  onOff,
  port,
  postgresUrl,
  privateNetworks,
  redisUrl,
  unsignedAgentsUntil,
  wholeNumber,
} from '@muster/kit/config.ts'
import { sourceSettings, storeSettings } from '@muster/releases/config.ts'
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
  PUBLIC_URL: z.url().optional(),
  ...hostSettings,
  INGEST_PUBLIC_URL: z.url({ protocol: /^wss?$/ }).default('ws://127.0.0.1:3001/agent'),
  /** Allows PUBLIC_URL and INGEST_PUBLIC_URL without TLS outside of loopback. */
  ALLOW_PLAINTEXT: onOff(false),
  BOOTSTRAP_EMAIL: z.email().optional(),
  BOOTSTRAP_PASSWORD: chosenSecret().min(8).optional(),
  /** Whether a worker has a mail server. Without one, links of invitations and resets are shown to the requester. */
  MAIL_SERVER: onOff(true),
  /** Whether any person can register an account. */
  ENABLE_REGISTRATION: onOff(false),
  /** Whether any person can register a partner, which then waits for approval. */
  ENABLE_PARTNER_REGISTRATION: onOff(true),
  /** Whether a registered partner becomes active when its email address is verified, without an approval. */
  AUTO_APPROVE_PARTNERS: onOff(false),
  ENABLE_2FA: onOff(true),
  /** The folder of the built console. */
  CONSOLE_DIR: z.string().default(fileURLToPath(new URL('../../console/dist', import.meta.url))),
  /** Addresses or networks of trusted proxies, comma separated. Their X-Forwarded-For is used. */
  TRUSTED_PROXIES: networks(),
  /** Average number of requests per second from one address to this process; 0 sets no limit. */
  REQUESTS_PER_SECOND: wholeNumber(0, 1_000_000, 2_000),
  /** Maximum number of open event streams in this process. Each needs a socket. */
  STREAMS_MAX: wholeNumber(1, 100_000, 5_000),
  /** Until when agents of protocol 1, which cannot verify signed orders, get commands. Ingest has the same date. */
  UNSIGNED_AGENTS_UNTIL: unsignedAgentsUntil(),
  /** The number of stream shards. Ingest and workers must have the same. */
  STREAM_SHARDS: wholeNumber(1, 1024, 8),
  /** Private networks in CIDR form, comma separated, in which identity providers are allowed. */
  SSO_ALLOWED_NETWORKS: privateNetworks(),
  ...smsSettings,
  ...filesSettings,
  ...storeSettings,
  ...sourceSettings,
  OUTBOX_TOKEN: outboxToken(),
  LOG_LEVEL: logLevel(),
})
