// One admin server in a process of its own: it is told what to use, says where it listens, and ends with its parent.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from '@muster/admin/server.ts'
import { operations } from '@muster/areas/registry.ts'
import { createRuntime, createServices } from '@muster/areas/runtime.ts'
import type { Settings } from '@muster/areas/services.ts'
import { connectRedis, connectSubscriber, untilReady } from '@muster/backplane/redis.ts'
import { createPool } from '@muster/db/pool.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import { createLog } from '@muster/kit/log.ts'
import { createMetrics } from '@muster/kit/metrics.ts'

export interface ServerOrders {
  readonly appUrl: string
  readonly systemUrl: string
  readonly redisUrl: string
  readonly keyring: Keyring
  readonly settings: Settings
  readonly trustedProxies: readonly string[]
}

const [orders]: ServerOrders[] = await once(process, 'message')
if (orders === undefined) throw new Error('no orders')
process.on('disconnect', () => process.exit(0))
const log = createLog('gate', 'error')
const redis = connectRedis(orders.redisUrl, 'gate')
const subscriber = connectSubscriber(orders.redisUrl, 'gate-authority')
await untilReady(redis, 10_000)
const services = createServices({
  people: createPool({ url: orders.appUrl, name: 'gate', max: 6 }),
  system: createPool({ url: orders.systemUrl, name: 'gate-system', max: 6 }),
  redis,
  subscriber,
  keyring: orders.keyring,
  log,
  settings: orders.settings,
})
const { trustedProxies } = orders
const runtime = createRuntime(services)
const app = await createServer({ operations, runtime, log, trustedProxies, registry: createMetrics('gate') })
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: (app.server.address() as AddressInfo).port })
