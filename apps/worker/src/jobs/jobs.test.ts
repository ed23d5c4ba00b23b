import { ensureMetricPartitions } from '@muster/areas/fleet/devices/metrics/retention.jobs.ts'
import { enqueueMail, sealedLink } from '@muster/areas/platform/mail/index.ts'
import { jobs } from '@muster/areas/work.ts'
import { asSystem } from '@muster/db/database.ts'
import { createLog } from '@muster/kit/log.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorkerMetrics } from '../metrics.ts'
import { type Bed, makeParts, openBed, testSettings } from '../testing/bed.ts'
import { exclusively } from './exclusive.ts'
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
    planKinds: [],
    observers: [],
    changeFollowers: [],
    deploymentKinds: [],
    publish: async () => {},
    count: () => {},
    set: () => {},
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

it('sends the mail of the outbox, and measures what waits', async () => {
  const parts = await makeParts(bed)
  const mail = jobs.find(({ name }) => name === 'mail')
  const work = mail?.begin({
    ...parts.worker,
    settings: { ...testSettings, mail: { ...testSettings.mail, keepsUnsent: true } },
  })
  const data = { name: 'Grace', url: sealedLink(parts.keyring, 'https://muster.test/reset-password#token=secret') }
  const reset = { to: 'grace@example.test', template: 'reset-password', data, partnerId: null, orgId: null } as const
  await asSystem(bed.pool, (db) => enqueueMail(db, reset))
  await work?.()
  const { rows } = await bed.pool.query('SELECT sent_at IS NOT NULL AS sent FROM mail_outbox')
  expect(rows).toEqual([{ sent: true }])
  const figures = await parts.registry.metrics()
  for (const figure of ['mails_waiting', 'mails_failed', 'mail_oldest_seconds'])
    expect(figures).toContain(`muster_worker_${figure} 0`)
  work?.end?.()
  await parts.close()
})

it('is done again by the worker that could not give its lock back, and by no other until the lock ends', async () => {
  const [one, other] = [await makeParts(bed), await makeParts(bed)]
  const cutOff = async () => {
    const end = new Promise<void>((resolve) => one.redis.once('end', () => resolve()))
    one.redis.disconnect()
    await end
  }
  await expect(exclusively(one.redis, 'test-work', cutOff)).rejects.toThrow()
  expect(await exclusively(other.redis, 'test-work', async () => undefined)).toBe(false)
  await one.redis.connect()
  expect(await exclusively(one.redis, 'test-work', async () => undefined)).toBe(true)
  expect(await exclusively(other.redis, 'test-work', async () => undefined)).toBe(true)
  await Promise.all([one.close(), other.close()])
})

it('creates the partitions of the coming days once', async () => {
  await bed.owner.query(
    `DROP TABLE device_metrics_${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`,
  )
  expect(await ensureMetricPartitions(bed.pool)).toBe(1)
  expect(await ensureMetricPartitions(bed.pool)).toBe(0)
})
