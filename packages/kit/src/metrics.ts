import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { hostsAmong, KnownHosts, misdirected } from './network/known-hosts.ts'
import type { Service } from './service.ts'

/** Whether the process should be restarted, and what it depends on. */
export interface HealthChecks {
  live(): boolean
  /** Each dependency by name, true when it answers. */
  ready(): Promise<Record<string, boolean>>
}

/** A registry with the process's own figures (CPU, memory, event-loop delay) and the label `app` on all. */
export function createMetrics(app: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ app })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  return registry
}

/** Answers `/metrics`, `/health/live` and `/health/ready`. */
function answering(registry: Registry, checks: HealthChecks, known: KnownHosts): Server {
  return createServer(async (request, response) => {
    const answer = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type }).end(body)
    if (!known.knows({ hosts: hostsAmong(request.rawHeaders), target: request.url ?? '' })) {
      const refusal = misdirected()
      return answer(refusal.status, 'application/json', JSON.stringify(refusal.body()))
    }
    if (request.url === '/metrics') return answer(200, registry.contentType, await registry.metrics())
    if (request.url === '/health/live') {
      const live = checks.live()
      return answer(live ? 200 : 503, 'application/json', JSON.stringify({ live }))
    }
    if (request.url === '/health/ready') {
      const parts = await checks.ready().catch(() => ({ checks: false }))
      const ready = Object.values(parts).every(Boolean)
      return answer(ready ? 200 : 503, 'application/json', JSON.stringify({ ready, parts }))
    }
    return answer(404, 'application/json', JSON.stringify({ code: 'NOT_FOUND', message: 'No such page' }))
  })
}

interface ObservationSettings {
  readonly METRICS_HOST: string
  readonly METRICS_PORT: number
  readonly PUBLIC_URL?: string | undefined
  readonly INGEST_PUBLIC_URL?: string | undefined
  readonly ALLOWED_HOSTS?: readonly string[]
}

/** The part of a process that is looked at by those who watch over it, on a port of its own; port 0 picks a free one. */
export function observation(
  registry: Registry,
  settings: ObservationSettings,
  checks: HealthChecks,
): Service & { readonly port: number | undefined } {
  const { PUBLIC_URL, INGEST_PUBLIC_URL, ALLOWED_HOSTS } = settings
  const server = answering(registry, checks, new KnownHosts([PUBLIC_URL, INGEST_PUBLIC_URL], ALLOWED_HOSTS))
  return {
    name: 'metrics',
    get port() {
      return portOf(server)
    },
    run: () =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(settings.METRICS_PORT, settings.METRICS_HOST, resolve)
      }),
    async drain() {},
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The port that a listening server got. */
export function portOf(server: Server): number | undefined {
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}
