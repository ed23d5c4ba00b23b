// One admin server in its own process. It receives its settings by message, sends its port, and exits with its parent.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from '@muster/admin/server.ts'
import { operations } from '@muster/areas/registry.ts'
import { createRuntime, createServices } from '@muster/areas/runtime.ts'
import type { Settings } from '@muster/areas/services.ts'
import { connectRedis, connectSubscriber, untilReady } from '@muster/backplane/redis.ts'
import { createPool } from '@muster/db/pool.ts'
import { createLog } from '@muster/kit/log.ts'
import { createMetrics } from '@muster/kit/metrics.ts'
import { createGrantKeyring } from '@muster/kit/secrets/grant-keyring.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'

export interface ServerSettings {
  readonly appUrl: string
  readonly systemUrl: string
  readonly redisUrl: string
  readonly keyring: Keyring
  readonly settings: Settings
  readonly trustedProxies: readonly string[]
}

const [given]: ServerSettings[] = await once(process, 'message')
if (given === undefined) throw new Error('no settings were received')
process.on('disconnect', () => process.exit(0))
const log = createLog('gate', 'error')
const redis = connectRedis(given.redisUrl, 'gate')
const subscriber = connectSubscriber(given.redisUrl, 'gate-authority')
await untilReady(redis, 10_000)
const services = createServices({
  people: createPool({ url: given.appUrl, name: 'gate', max: 6 }),
  system: createPool({ url: given.systemUrl, name: 'gate-system', max: 6 }),
  redis,
  subscriber,
  keyring: given.keyring,
  grantKeyring: createGrantKeyring(),
  log,
  settings: given.settings,
})
const { trustedProxies } = given
const runtime = createRuntime(services)
const app = await createServer({ operations, runtime, log, trustedProxies, registry: createMetrics('gate') })
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: (app.server.address() as AddressInfo).port })
