import '@muster/kit/production.ts'

import { bootstrap } from '@muster/areas/access/auth/sign-in/bootstrap.ts'
import { writeSystemScripts } from '@muster/areas/change/scripts/index.ts'
import { requireEncryptedAddresses } from '@muster/areas/fleet/enrollment/index.ts'
import { operations } from '@muster/areas/registry.ts'
import { createRuntime, createServices } from '@muster/areas/runtime.ts'
import { areaSettings } from '@muster/areas/settings.ts'
import { connectRedis, connectSubscriber, untilReady } from '@muster/backplane/redis.ts'
import { verifySchema } from '@muster/db/migrate.ts'
import { createPool } from '@muster/db/pool.ts'
import { refusePowerfulLogin } from '@muster/db/roles.ts'
import { filesStoreOf } from '@muster/files/config.ts'
import { readConfig } from '@muster/kit/config.ts'
import { createLog } from '@muster/kit/log.ts'
import { createMetrics, observation, portOf } from '@muster/kit/metrics.ts'
import { readGrantKeyring } from '@muster/kit/secrets/grant-keyring.ts'
import { readKeyring } from '@muster/kit/secrets/keyring.ts'
import { runProcess, type Service } from '@muster/kit/service.ts'
import { watchStalls } from '@muster/kit/stalls.ts'
import { storeOf } from '@muster/releases/config.ts'
import { adminSettings } from './config.ts'
import { observePools } from './metrics.ts'
import { OpenRequests } from './open-requests.ts'
import { createServer } from './server.ts'
import { version } from './version.ts'

const config = readConfig(adminSettings)
requireEncryptedAddresses(config)
const log = createLog('admin', config.LOG_LEVEL)
const people = createPool({ url: config.DATABASE_URL, name: 'muster-admin', max: 16 })
const system = createPool({ url: config.SYSTEM_DATABASE_URL, name: 'muster-admin-system', max: 8 })
const redis = connectRedis(config.REDIS_URL, 'admin')
const subscriber = connectSubscriber(config.REDIS_URL, 'admin-authority')
const registry = createMetrics('admin')
const services = createServices({
  people,
  system,
  redis,
  subscriber,
  keyring: readKeyring(config.KEYS_FILE),
  grantKeyring: readGrantKeyring(config.GRANT_KEYS_FILE),
  log,
  settings: {
    version,
    publicUrl: (config.PUBLIC_URL ?? `http://127.0.0.1:${config.ADMIN_PORT}`).replace(/\/+$/, ''),
    ingestUrl: config.INGEST_PUBLIC_URL,
    allowedHosts: config.ALLOWED_HOSTS,
    ...areaSettings(config),
    requestsPerSecond: config.REQUESTS_PER_SECOND,
    streamsMax: config.STREAMS_MAX,
  },
  releases: storeOf(config),
  files: filesStoreOf(config),
})
const openRequests = new OpenRequests()
const requestsAtExit = () => openRequests.summary()
const app = await createServer({
  openRequests,
  operations,
  runtime: createRuntime(services),
  log,
  registry,
  consoleFolder: config.CONSOLE_DIR,
  trustedProxies: config.TRUSTED_PROXIES,
})
observePools({ people, system }, registry)
let draining = false

const stores: Service = {
  name: 'stores',
  async run() {
    await untilReady(redis, 10_000)
    await verifySchema(config.SYSTEM_DATABASE_URL)
    await refusePowerfulLogin(people)
    await refusePowerfulLogin(system)
    const { BOOTSTRAP_EMAIL: email, BOOTSTRAP_PASSWORD: password } = config
    await bootstrap(services, email !== undefined && password !== undefined ? { email, password } : null)
    await writeSystemScripts(system)
  },
  async drain() {},
  async stop() {
    await Promise.all([people.end(), system.end()])
    redis.disconnect()
    subscriber.disconnect()
  },
}

const observed = observation(registry, config, {
  live: () => true,
  async ready() {
    const [postgres, redisAnswer] = await Promise.allSettled([system.query('SELECT 1'), redis.ping()])
    return {
      accepting: !draining,
      postgres: postgres.status === 'fulfilled',
      redis: redisAnswer.status === 'fulfilled',
    }
  },
})

const http: Service = {
  name: 'http',
  async run() {
    await app.listen({ host: config.ADMIN_HOST, port: config.ADMIN_PORT })
  },
  async drain() {
    draining = true
  },
  async stop() {
    await app.close()
  },
}

const info = () => ({ port: portOf(app.server), metricsPort: observed.port })
await runProcess('admin', [stores, observed, watchStalls('admin', requestsAtExit), http], log, info, requestsAtExit)
