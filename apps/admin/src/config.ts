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

/** The settings of admin. */
export const adminSettings = z.object({
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_PORT: port(3000),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port(9464),
  /** Login of the role muster_app. */
  DATABASE_URL: postgresUrl(),
  /** Login of the role muster_system. */
  SYSTEM_DATABASE_URL: postgresUrl(),
  REDIS_URL: redisUrl(),
  KEYS_FILE: z.string(),
  PUBLIC_URL: z.url().optional(),
  ...hostSettings,
  INGEST_PUBLIC_URL: z.url({ protocol: /^wss?$/ }).default('ws://127.0.0.1:3001/agent'),
  /** PUBLIC_URL and INGEST_PUBLIC_URL may be plaintext off loopback. */
  ALLOW_PLAINTEXT: onOff(false),
  BOOTSTRAP_EMAIL: z.email().optional(),
  BOOTSTRAP_PASSWORD: chosenSecret().min(8).optional(),
  /** Does a worker have a mail server? Without one, the links of invitations and resets are shown to who asks for them. */
  MAIL_SERVER: onOff(true),
  /** May anybody make an account? */
  ENABLE_REGISTRATION: onOff(false),
  /** May anybody register a partner, which then waits for approval? */
  ENABLE_PARTNER_REGISTRATION: onOff(true),
  /** Does a registered partner become active with its confirmed email address, without anybody's approval? */
  AUTO_APPROVE_PARTNERS: onOff(false),
  ENABLE_2FA: onOff(true),
  /** Where the built console lies. */
  CONSOLE_DIR: z.string().default(fileURLToPath(new URL('../../console/dist', import.meta.url))),
  /** Addresses or networks of proxies whose X-Forwarded-For is believed, comma separated. */
  TRUSTED_PROXIES: networks(),
  /** Requests that one address may make of this process each second, on average; 0 sets no limit. */
  REQUESTS_PER_SECOND: wholeNumber(0, 1_000_000, 2_000),
  /** Event streams that this process holds open at most, of everyone together; each needs a socket. */
  STREAMS_MAX: wholeNumber(1, 100_000, 5_000),
  /** Until when agents of protocol 1, which cannot check signed orders, are sent commands. Ingest has the same date. */
  UNSIGNED_AGENTS_UNTIL: unsignedAgentsUntil(),
  /** The same number as ingest and workers have. */
  STREAM_SHARDS: wholeNumber(1, 1024, 8),
  /** Networks in CIDR form, comma separated, where identity providers may be although they are not public. */
  SSO_ALLOWED_NETWORKS: privateNetworks(),
  ...smsSettings,
  ...filesSettings,
  ...storeSettings,
  ...sourceSettings,
  OUTBOX_TOKEN: outboxToken(),
  LOG_LEVEL: logLevel(),
})
