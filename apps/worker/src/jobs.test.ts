import { createLog } from '@muster/kit/log.ts'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createJobs, jobs } from './jobs.ts'
import { ensureMetricPartitions } from './metric-retention.ts'
import { createWorkerMetrics } from './metrics.ts'
import { type Bed, openBed } from './testing/bed.ts'

let bed: Bed
beforeAll(async () => {
  bed = await openBed()
})
afterAll(() => bed?.close())

it('the queues come up under a login that owns nothing, and hold the schedule of every job', async () => {
  const options = {
    log: createLog('test', 'silent'),
    metrics: createWorkerMetrics(new Registry()),
    publicUrl: 'http://127.0.0.1:3000',
    metricDays: { raw: 7, fiveMinutes: 30, hours: 365 },
  }
  const { pool, redis, systemUrl: databaseUrl } = bed
  const first = createJobs({ ...options, pool, redis, databaseUrl })
  await first.run()
  await first.drain()
  const second = createJobs({ ...options, pool, redis, databaseUrl })
  await second.run()
  const { rows } = await pool.query('SELECT name, cron FROM pgboss.schedule ORDER BY name')
  const wanted = jobs.map(({ name, schedule }) => ({ name, cron: schedule }))
  expect(rows).toEqual(wanted.sort((a, b) => (a.name < b.name ? -1 : 1)))
  await second.drain()
})

it('partitions for the coming days are made once, so that no heartbeat falls into the default one', async () => {
  await bed.owner.query(
    `DROP TABLE device_metrics_${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`,
  )
  expect(await ensureMetricPartitions(bed.pool)).toBe(1)
  expect(await ensureMetricPartitions(bed.pool)).toBe(0)
})
