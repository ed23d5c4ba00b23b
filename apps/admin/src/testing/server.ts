import type { AddressInfo } from 'node:net'
import { operations } from '@muster/areas/registry.ts'
import { createLog } from '@muster/kit/log.ts'
import { testRuntime } from '@muster/testkit/services.ts'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { createServer, type ServerOptions } from '../server.ts'

/** A server with the services of this test file. The test closes it. */
export const testServer = async (options: Partial<ServerOptions> = {}): Promise<FastifyInstance> =>
  createServer({
    operations,
    runtime: await testRuntime(),
    log: createLog('test', 'silent'),
    trustedProxies: [],
    registry: new Registry(),
    ...options,
  })

/** Makes the server listen on a free port. @returns the port */
export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}
