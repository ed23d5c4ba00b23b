import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { Gauge, Histogram, type Registry } from 'prom-client'

/** Counts and times requests by their declared path, because the requested path has unbounded values. */
export function observeRequests(app: FastifyInstance, registry: Registry): void {
  const seconds = new Histogram({
    name: 'muster_request_seconds',
    help: 'Duration of HTTP requests in seconds',
    labelNames: ['method', 'path', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  // Cached by path, method and status, because looking a histogram up by its labels on each request is slow.
  const counts = new Map<string, { observe(value: number): void }>()
  app.addHook('onResponse', (request, reply, done) => {
    const path = request.routeOptions.url ?? 'none'
    const key = `${request.method} ${path} ${reply.statusCode}`
    let count = counts.get(key)
    if (count === undefined) {
      count = seconds.labels({ method: request.method, path, status: reply.statusCode })
      counts.set(key, count)
    }
    count.observe(reply.elapsedTime / 1000)
    done()
  })
}

/** Gauges of the open, idle and awaited connections of each pool. */
export function observePools(pools: Readonly<Record<string, pg.Pool>>, registry: Registry): void {
  const gauge: Gauge = new Gauge({
    name: 'muster_database_connections',
    help: 'Database connections by pool and state: open, idle, awaited',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        gauge.set({ pool, state: 'open' }, totalCount)
        gauge.set({ pool, state: 'idle' }, idleCount)
        gauge.set({ pool, state: 'awaited' }, waitingCount)
      }
    },
  })
}
