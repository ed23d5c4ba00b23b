import { ensureMetricPartitions } from '@muster/areas/fleet/devices/metrics/retention.jobs.ts'
import { jobs } from '@muster/areas/work.ts'
import { createKeyring } from '@muster/kit/keyring.ts'
import { createLog } from '@muster/kit/log.ts'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorkerMetrics } from '../metrics.ts'
import { type Bed, openBed, testSettings } from '../testing/bed.ts'
import { scheduledJobs } from './jobs.ts'

let bed: Bed
beforeAll(async () => {
  bed = await openBed()
})
afterAll(() => bed?.close())

it('creates the queues with an unprivileged login, with the schedule of every job', async () => {
  const { pool, redis, systemUrl: databaseUrl } = bed
  const parts = {
    pool,
    redis,
    keyring: createKeyring(),
    log: createLog('test', 'silent'),
    settings: testSettings,
    outcomes: [],
    publish: async () => {},
    count: () => {},
  }
  const queues = { databaseUrl, metrics: createWorkerMetrics(new Registry()) }
  const old = {
    name: 'of-an-earlier-version',
    when: { cron: '0 0 * * *' },
    by: 'one worker',
    begin: () => async () => {},
  } as const
  const first = scheduledJobs([...jobs, old], parts, queues)
  await first.run()
  await first.drain()
  const second = scheduledJobs(jobs, parts, queues)
  await second.run()
  const { rows } = await pool.query('SELECT name, cron FROM pgboss.schedule ORDER BY name')
  const wanted = jobs.flatMap(({ name, when }) => ('cron' in when ? { name, cron: when.cron } : []))
  expect(rows).toEqual(wanted.sort((a, b) => (a.name < b.name ? -1 : 1)))
  await second.drain()
})

it('creates the partitions of the coming days once', async () => {
  await bed.owner.query(
    `DROP TABLE device_metrics_${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`,
  )
  expect(await ensureMetricPartitions(bed.pool)).toBe(1)
  expect(await ensureMetricPartitions(bed.pool)).toBe(0)
})
